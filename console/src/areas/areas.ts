import type { MessageKey } from '../i18n/words.js'

export interface Area {
  readonly path: string
  readonly title: MessageKey
}

export const areas = [
  { path: '/today', title: 'area.today' },
  { path: '/calculations', title: 'area.calculations' },
  { path: '/members', title: 'area.members' },
  { path: '/sales', title: 'area.sales' },
  { path: '/limits', title: 'area.limits' },
  { path: '/benefits', title: 'area.benefits' },
  { path: '/programme', title: 'area.programme' },
  { path: '/experiments', title: 'area.experiments' },
  { path: '/reports', title: 'area.reports' },
  { path: '/system', title: 'area.system' },
] as const satisfies readonly Area[]
