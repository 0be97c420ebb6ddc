export const versionsMax = 6
/** Lower versions are built in (the staging test members) and stay loaded. */
const publishedFrom = 1

export interface ProgrammeShelf {
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
