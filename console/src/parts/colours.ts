import { useProgrammeNames } from '../api/programme.js'

const colours = Array.from({ length: 16 }, (_, at) => `var(--series-${at + 1})`)

/** What has no colour of its own. */
export const otherColour = 'var(--series-other)'

/** The colour at a place of a chart whose series have no colour elsewhere. */
export function colourAt(place: number): string {
  return colours[place % colours.length]!
}

/** The colour of a benefit, the same everywhere: by its place in the programme in force, else by its id. Grey until that is loaded. */
export function useBenefitColour(): (benefitId: string) => string {
  const { benefits } = useProgrammeNames(0)
  const places = new Map([...benefits.keys()].map((benefitId, place) => [benefitId, place]))
  return (benefitId) => (places.size === 0 ? otherColour : colourAt(places.get(benefitId) ?? sumOf(benefitId)))
}

function sumOf(text: string): number {
  return Array.from(text, (character) => character.codePointAt(0)!).reduce((sum, code) => sum + code, 0)
}
