import { isObject } from './read-values.js'

/**
 * A programme document in which some of its benefits are in force already: enabled, and begun. Until when they are valid, their hours and
 * everything else of them stay. What is no JSON, or holds no such benefit, stays as it is.
 */
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
