import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  ShadowRunProgress,
  ShadowRunReport,
  ShadowRunRequestSchema,
} from '../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { useCommands } from './use-commands.js'
import { type ReportRunState, useReportRun } from './use-report-run.js'

export type ShadowRunState<Asked> = ReportRunState<ShadowRunProgress, ShadowRunReport, Asked>

type Request = Omit<MessageInitShape<typeof ShadowRunRequestSchema>, '$typeName'>

export function useShadowRun<Asked>(last: ShadowRunState<Asked> | null = null) {
  const { programmes } = useCommands()
  return useReportRun<ShadowRunProgress, ShadowRunReport, Request, Asked>(
    (request, options) => programmes.shadowRun(request, options),
    last,
  )
}
