import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  type Experiment,
  ExperimentMetric,
  ExperimentService,
  ExperimentState,
} from '../../../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ListScreen } from '../../parts/list-screen.js'
import type { Column } from '../../parts/rows.js'
import { StateBadge, Time, wordOf } from '../../parts/values.js'
import { armName } from './sentence.js'

export function ExperimentList() {
  const t = useWords()
  const navigate = useNavigate()
  const { experimentId } = useParams({ strict: false })
  const query = useQuery(ExperimentService.method.listExperiments, {})
  const rows = query.data?.experiments ?? []
  const columns = useMemo(() => experimentColumns(t), [t])
  const running = rows.filter(({ state }) => state === ExperimentState.RUNNING).length
  return (
    <ListScreen
      title={t('area.experiments')}
      lead={query.isSuccess ? t('experiments.lead', { count: running }) : undefined}
      query={query}
      columns={columns}
      rows={rows}
      keyOf={(row) => row.experimentId}
      openKey={experimentId}
      onOpen={(row) => void navigate({ to: '/experiments/$experimentId', params: { experimentId: row.experimentId } })}
      empty={[t('experiments.empty'), t('experiments.emptyWhat')]}
    />
  )
}

function experimentColumns(t: Words): readonly Column<Experiment>[] {
  const metric = (row: Experiment) => wordOf(t, 'experimentMetric', ExperimentMetric, row.metric)
  const arms = (row: Experiment) => row.arms.map((arm) => `${armName(t, arm)} ${arm.percentage} %`).join(', ')
  return [
    { key: 'name', head: t('field.experimentId'), value: (row) => row.name },
    {
      key: 'state',
      head: t('experiments.state'),
      cell: ({ state }) => (
        <StateBadge group="experimentState" values={ExperimentState} value={state} live={[ExperimentState.RUNNING]} />
      ),
      value: (row) => wordOf(t, 'experimentState', ExperimentState, row.state),
    },
    {
      key: 'from',
      head: t('field.from'),
      cell: (row) => <Time at={row.from} show="day" />,
      value: (row) => row.from?.seconds ?? 0n,
    },
    {
      key: 'until',
      head: t('field.until'),
      cell: (row) => row.until && <Time at={row.until} show="lastDay" />,
      value: (row) => row.until?.seconds ?? 0n,
      isExtra: true,
    },
    { key: 'metric', head: t('experiments.metric'), value: metric, isExtra: true },
    { key: 'arms', head: t('field.arms'), value: arms, isExtra: true },
  ]
}
