import { isObject } from './place.js'

/** A document in which some benefits are enabled and begun. A text that is no JSON, or has no such benefit, stays unchanged. */
export function supposeInForce(text: string, benefitIds: readonly string[]): string {
  const document = jsonOf(text)
  if (!isObject(document) || !Array.isArray(document['benefits'])) return text
  const wanted = new Set<unknown>(benefitIds)
  const benefits = document['benefits'].map((benefit: unknown) => {
    if (!isObject(benefit) || !wanted.has(benefit['benefitId'])) return benefit
    const { enabled, validFrom, ...rest } = benefit
    return rest
  })
  return JSON.stringify({ ...document, benefits })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
