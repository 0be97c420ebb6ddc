/** What can be done with a member, in the order of the buttons. */
export const actionNames = ['claim', 'adjust', 'grant', 'exchange', 'tier', 'block', 'merge', 'forget'] as const
export type ActionName = (typeof actionNames)[number]
