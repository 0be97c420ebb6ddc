import { isRevokedBy, type SecretsFileFault, type SecretsFileRead, secretsMax } from './secrets-file.js'

/** A secret that is no longer in the file, active until then. */
interface Leaving {
  readonly secret: string
  readonly untilMs: number
}

type SecretsFileContent = Extract<SecretsFileRead, { kind: 'read' }>

/**
 * The active signing secrets (contract 5.6): those of the environment, those of the file, and for an overlap those that the file had
 * before. A file cut at a line end looks like a smaller file: the overlap keeps its valid secrets active.
 */
export class ActiveSecrets {
  #inFile: readonly string[] = []
  #revoked: ReadonlySet<string> = new Set()
  #leaving: readonly Leaving[] = []
  #active: readonly Uint8Array[] = []
  /** The end of the next one of `#leaving`. */
  #endMs = Number.POSITIVE_INFINITY

  /**
   * @param own        secrets of the environment: active unless a `revoked:` line of the file names them
   * @param overlapMs  time for which a secret stays active after it left the file
   * @param nowMs      a clock that never steps back, milliseconds
   */
  constructor(
    private readonly own: readonly string[],
    private readonly overlapMs: number,
    private readonly nowMs: () => number,
  ) {
    this.#settle([])
  }

  /** Empty only where every secret is revoked. */
  active(): readonly Uint8Array[] {
    if (this.nowMs() >= this.#endMs) this.#settle(this.#leaving)
    return this.#active
  }

  get leaving(): number {
    this.active()
    return this.#leaving.length
  }

  /**
   * Takes a new content; null: taken, else the reason of its refusal. Revoked secrets end at once. A line that is the beginning of an
   * active secret has lost its end; a content that would leave too many secrets in overlap is read again when some have ended.
   */
  take({ secrets, revoked }: SecretsFileContent): SecretsFileFault | null {
    const nowMs = this.nowMs()
    const known = [...this.own, ...this.#inFile, ...this.#leaving.map(({ secret }) => secret)]
    if (secrets.some((line) => known.some((secret) => secret !== line && secret.startsWith(line)))) return 'not_whole'
    this.#revoked = new Set(revoked)
    const leaving = [
      ...this.#leaving.filter(({ untilMs }) => untilMs > nowMs),
      ...this.#inFile.map((secret) => ({ secret, untilMs: nowMs + this.overlapMs })),
    ].filter(({ secret }) => !secrets.includes(secret) && !isRevokedBy(this.#revoked, secret))
    const isTooMany = leaving.length > secretsMax
    if (!isTooMany) this.#inFile = secrets
    this.#inFile = this.#inFile.filter((secret) => !isRevokedBy(this.#revoked, secret))
    this.#settle(isTooMany ? this.#leaving.filter(({ secret }) => !isRevokedBy(this.#revoked, secret)) : leaving)
    return isTooMany ? 'too_many' : null
  }

  #settle(leaving: readonly Leaving[]): void {
    const nowMs = this.nowMs()
    this.#leaving = leaving.filter(({ untilMs }) => untilMs > nowMs)
    this.#endMs = Math.min(...this.#leaving.map(({ untilMs }) => untilMs))
    const own = this.own.filter((secret) => !isRevokedBy(this.#revoked, secret))
    const all = new Set([...own, ...this.#inFile, ...this.#leaving.map(({ secret }) => secret)])
    this.#active = [...all].map((secret) => Buffer.from(secret))
  }
}
