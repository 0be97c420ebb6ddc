import { useQuery } from '@connectrpc/connect-query'
import { ForgettingState, MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { useWords } from '../i18n/words.js'
import { Time } from './time.js'

const askEveryMs = 10_000

/** How far a forgetting is; asked again until it is complete. */
export function ForgettingProgress({ requestId }: { readonly requestId: string }) {
  const t = useWords()
  const { data } = useQuery(
    MemberService.method.getForgetting,
    { requestId },
    { refetchInterval: ({ state }) => (state.data?.state === ForgettingState.COMPLETE ? false : askEveryMs) },
  )
  if (data === undefined) return null
  const isComplete = data.state === ForgettingState.COMPLETE
  return (
    <p>
      {t(isComplete ? 'forget.complete' : 'forget.pending')}{' '}
      <Time at={isComplete ? data.completedAt : data.completeBy} />
    </p>
  )
}
