/** Roles of tokens, those that may do more later (`Role` in roles.proto). Who waits goes in the opposite order. */
export const roleNames = ['reader', 'support', 'marketing', 'admin'] as const

export type RoleName = (typeof roleNames)[number]
