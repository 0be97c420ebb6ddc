/** Terminal colours; each function returns its text unchanged where colours are off. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly cyan: (text: string) => string
}

export function createPaint(colours: boolean): Paint {
  const paint = (open: number, close: number) => (text: string) =>
    colours ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), red: paint(31, 39), cyan: paint(36, 39) }
}
