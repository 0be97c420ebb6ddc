import { documentedRefusals } from '../../../gateway/gen/loyalty/v1/documented_refusals.js'

/** Reasons that every call may have (docs/api.md): they come from what all calls share. */
const ofAnyCall =
  'UNAUTHENTICATED PERMISSION_DENIED UNIMPLEMENTED MESSAGE_TOO_LARGE TOO_MANY_CALLS DEADLINE_EXCEEDED UNAVAILABLE'

/** Throws where the comment of a call, of which the API reference is made, does not name the reason of its refusal. */
export function assertDocumented(path: string, reason: string): void {
  const [, service = '', call = ''] = /^\/loyalty\.v1\.(\w+)\/(\w+)$/.exec(path) ?? []
  const known: readonly string[] | undefined =
    documentedRefusals[`loyalty.v1.${call}Request` as keyof typeof documentedRefusals]
  if (known !== undefined && reason !== '' && !known.includes(reason) && !ofAnyCall.split(' ').includes(reason))
    throw new Error(`${service}/${call} refuses with ${reason}, which its comment in proto does not name`)
}
