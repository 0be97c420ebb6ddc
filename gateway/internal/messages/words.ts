import type { DescEnum } from '@bufbuild/protobuf'
import { ChannelSchema } from '../../gen/loyalty/v1/enums_pb.js'

/** The contract's word for an enum value, such as `member_not_found`; undefined for `unspecified` and unknown numbers. */
export function wordFromEnum(schema: DescEnum, number: number): string | undefined {
  return number === 0 ? undefined : schema.value[number]?.localName.toLowerCase()
}

/** The enum value of a contract's word; 0, `unspecified`, for null and unknown words. */
export function enumFromWord(schema: DescEnum, word: string | null | undefined): number {
  if (word === null || word === undefined) return 0
  return schema.values.find(({ localName }) => localName.toLowerCase() === word)?.number ?? 0
}

/** A channel by its number, or a name of LOYALTY_CHANNELS by itself. */
export function channelFromWord(word: string | null | undefined) {
  const channel = enumFromWord(ChannelSchema, word)
  return channel === 0 && word ? { channel, channelName: word } : { channel }
}
