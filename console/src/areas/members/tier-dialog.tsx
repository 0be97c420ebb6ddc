import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useState } from 'react'
import { nowMs } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { momentAt } from '../../parts/offsets.js'
import { Time } from '../../parts/time.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'

/** Gives a member a tier until a day, or ends what was given. */
export function TierDialog({ member, standing, onClose }: ActionProps) {
  const t = useWords()
  const { members, changed } = useCommands()
  const { tiers } = useProgrammeNames(0)
  const [tier, setTier] = useState('')
  const [untilDay, setUntilDay] = useState('')
  const zone = useHouseZone()
  const { memberId } = member
  const until = untilDay === '' ? null : momentAt(`${untilDay}T00:00`, zone)
  return (
    <CommandDialog
      title={t('tier.title', { member: memberId })}
      verb={t('tier.do')}
      draftKey={`tier/${memberId}`}
      isReady={tier === '' || (until !== null && until.getTime() > nowMs())}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { standing } = await members.setTier({
          requestId,
          member: { by: { case: 'memberId', value: memberId } },
          tier,
          reason,
          ...(tier !== '' && until !== null ? { until: timestampFromDate(until) } : {}),
        })
        await changed()
        return (
          <>
            <p>
              {t('tier.done', { tier: standing?.tier ?? t('member.noTier') })}{' '}
              <Time at={standing?.tierUntil} show="day" />
            </p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <div className={styles['pair']}>
        <label>
          {t('tier.tier')}
          <select value={tier} onChange={(event) => setTier(event.target.value)}>
            <option value="">{t('tier.end')}</option>
            {tiers.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        {tier !== '' && (
          <label>
            {t('tier.until')}
            <input type="date" value={untilDay} onChange={(event) => setUntilDay(event.target.value)} required />
          </label>
        )}
      </div>
      <p className={styles['change']}>
        {t('tier.now', { tier: standing?.tier ?? t('member.noTier') })}{' '}
        {tier === '' ? t('tier.whatEnd') : t('tier.what', { after: tier })}
      </p>
    </CommandDialog>
  )
}
