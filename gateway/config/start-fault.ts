/** A start that cannot go on: its message is one clear line for a person, with the cause to correct. */
export class StartFault extends Error {}
