import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { allows, Role } from '../../../gateway/gen/loyalty/v1/roles_pb.js'

/** The name of a call as the service lists it, such as `MemberService/BlockMember`. */
export function callOf({ parent, name }: DescMethod): string {
  return `${parent.name}/${name}`
}

/** The roles that may make a change, as the service names them. */
export function rolesOf(method: DescMethod): readonly string[] {
  return [...getOption(method, allows).map((role) => Role[role]!.toLowerCase()), 'admin']
}
