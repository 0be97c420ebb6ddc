import { type ActionName, actionNames } from './action-names.js'

/** What the search of members shows. */
export interface MembersSearch {
  /** How an id begins. */
  readonly q?: string
  /** A sale that is to be claimed: of its calculation. */
  readonly claim?: string
}

/** What is shown of a member. */
export interface MemberSearch {
  /** The change whose dialog is open. */
  readonly do?: ActionName
  /** The sale that it claims: of its calculation. */
  readonly sale?: string
  /** The venue whose rewards are shown. */
  readonly venueId?: string
}

type Search = Readonly<Record<string, unknown>>

export function readMembersSearch(search: Search): MembersSearch {
  return { ...textOf(search, 'q'), ...textOf(search, 'claim') }
}

export function readMemberSearch(search: Search): MemberSearch {
  const action = actionNames.find((name) => name === search['do'])
  return { ...(action === undefined ? {} : { do: action }), ...textOf(search, 'sale'), ...textOf(search, 'venueId') }
}

function textOf<Name extends string>(search: Search, name: Name): Partial<Record<Name, string>> {
  const value = search[name]
  if (value === undefined || value === null || value === '') return {}
  return { [name]: String(value) } as Partial<Record<Name, string>>
}
