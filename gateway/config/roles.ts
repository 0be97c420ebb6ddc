/** Roles of tokens in the order of their rights (`Role` in roles.proto). Calls wait in the opposite order. */
export const roleNames = ['reader', 'support', 'marketing', 'admin'] as const

export type RoleName = (typeof roleNames)[number]
