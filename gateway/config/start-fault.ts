/** A start that cannot go on: its message is one clear line for a person, and names what to mend. */
export class StartFault extends Error {}
