import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { useWords } from '../../i18n/words.js'
import { formatScaled } from '../../parts/scaled.js'
import { Empty } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './members.module.css'

/** More lots than these are summed up in a line. */
const lotsShown = 6

/** What a member holds, by currency, with its lots: the first to expire first. */
export function Accounts({ accounts }: { readonly accounts: readonly Account[] }) {
  const t = useWords()
  if (accounts.length === 0) return <Empty why={t('member.noBalances')} />
  return (
    <div className={styles['accounts']}>
      {accounts.map((account) => (
        <AccountPart key={account.currencyId} account={account} />
      ))}
    </div>
  )
}

function AccountPart({ account }: { readonly account: Account }) {
  const t = useWords()
  const { currencyId, name, scale, available, pending, held, debt, lots } = account
  const shown = (amount: bigint) => formatScaled(amount, scale, t.locale)
  return (
    <section className={styles['account']} aria-label={name || currencyId}>
      <h3>{name || currencyId}</h3>
      <p>
        <span className={styles['figure']}>{shown(available)}</span>{' '}
        <span className="muted">{t('account.available')}</span>
      </p>
      <p className="muted">
        {[
          pending > 0n ? t('account.pending', { amount: shown(pending) }) : '',
          held > 0n ? t('account.held', { amount: shown(held) }) : '',
        ]
          .filter((text) => text !== '')
          .join(', ')}
      </p>
      {debt > 0n && <p className="lost">{t('account.debt', { amount: shown(debt) })}</p>}
      {lots.length > 0 && (
        <table className={styles['lots']}>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('lot.amount')}
              </th>
              <th scope="col">{t('lot.opens')}</th>
              <th scope="col">{t('lot.expires')}</th>
            </tr>
          </thead>
          <tbody>
            {lots.slice(0, lotsShown).map((lot, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a lot has no name of its own
              <tr key={at}>
                <td className="number">{shown(lot.amount)}</td>
                <td>
                  {lot.opensAt !== undefined && Number(lot.opensAt.seconds) * 1_000 <= nowMs() ? (
                    t('lot.isOpen')
                  ) : (
                    <Time at={lot.opensAt} show="day" />
                  )}
                </td>
                <td>{lot.expiresAt === undefined ? t('lot.never') : <Time at={lot.expiresAt} show="day" />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {lots.length > lotsShown && <p className="muted small">{t('lot.more', { count: lots.length - lotsShown })}</p>}
    </section>
  )
}
