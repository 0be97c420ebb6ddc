import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import type { LimitSearch } from './search.js'

/** What of an address filters the list. */
export function filtersOf({ show, limitId, who }: LimitSearch): LimitSearch {
  return {
    ...(show === undefined ? {} : { show }),
    ...(limitId === undefined ? {} : { limitId }),
    ...(who === undefined ? {} : { who }),
  }
}

/** Whose counters, of which limit, of whom. */
export function Filters({ search }: { readonly search: LimitSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const { benefits } = useProgrammeNames(0)
  const limits = [...benefits.values()].flatMap((benefit) => benefit.limits ?? []).map(({ limitId }) => limitId)
  const [who, setWho] = useState(search.who ?? '')
  const set = (change: Partial<Record<keyof LimitSearch, string | undefined>>) =>
    void navigate({ to: '/limits', search: { ...filtersOf(search), ...change } as LimitSearch })
  return (
    <>
      <select
        aria-label={t('limits.show')}
        value={search.show ?? ''}
        onChange={(event) => set({ show: event.target.value || undefined })}
      >
        <option value="">{t('limits.showShared')}</option>
        <option value="member">{t('limits.showMember')}</option>
        <option value="all">{t('limits.showAll')}</option>
      </select>
      <select
        aria-label={t('limit.id')}
        value={search.limitId ?? ''}
        onChange={(event) => set({ limitId: event.target.value || undefined })}
      >
        <option value="">{t('limits.anyLimit')}</option>
        {[...new Set([...limits, ...(search.limitId === undefined ? [] : [search.limitId])])].map((limitId) => (
          <option key={limitId} value={limitId}>
            {limitId}
          </option>
        ))}
      </select>
      <input
        value={who}
        aria-label={t('limits.who')}
        placeholder={t('limits.who')}
        onChange={(event) => setWho(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && set({ who: who.trim() || undefined })}
        onBlur={() => who.trim() !== (search.who ?? '') && set({ who: who.trim() || undefined })}
      />
    </>
  )
}
