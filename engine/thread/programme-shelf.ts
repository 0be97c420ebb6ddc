/** Programme versions that threads keep at most, beside the built-in ones: the one in use, and those that calls under way still name. */
export const versionsMax = 6
/** Versions below this are built in (the staging test members) and never go. */
const publishedFrom = 1

/** Which programme versions are in use, the longest unused first. */
export interface ProgrammeShelf {
  /** Notes that a version is in use; returns those that have been unused for so long that they go. */
  use(version: number): readonly number[]
}

export function createProgrammeShelf(): ProgrammeShelf {
  const versions = new Set<number>()
  return {
    use(version) {
      if (version < publishedFrom) return []
      versions.delete(version)
      versions.add(version)
      const gone = [...versions].slice(0, Math.max(0, versions.size - versionsMax))
      for (const each of gone) versions.delete(each)
      return gone
    },
  }
}
