import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { type Member, MemberService } from '../../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { ProgrammeNames } from '../../../api/programme.js'
import { useWords } from '../../../i18n/words.js'
import { useLater } from '../use-later.js'
import { anyone, type Buyer } from './basket.js'
import styles from './try.module.css'

/** Members that are offered for what is typed. */
const membersShown = 8
/** What an empty number counts as. */
const nothing = '0'

interface BuyerFieldsProps {
  readonly buyer: Buyer
  readonly onBuyer: (buyer: Buyer) => void
  readonly names: ProgrammeNames
  /** Tiers and segments that the programme names. */
  readonly tiers: readonly string[]
  readonly segments: readonly string[]
}

/** Who buys: somebody who need not exist, a member, or nobody. */
export function BuyerFields({ buyer, onBuyer, tiers, segments }: Omit<BuyerFieldsProps, 'names'>) {
  const t = useWords()
  const kinds = { anyone: 'try.anyone', known: 'try.known', nobody: 'try.nobody' } as const
  return (
    <>
      <label>
        {t('try.buyer')}
        <select
          value={buyer.kind}
          onChange={({ target }) => {
            if (target.value === 'nobody') onBuyer({ kind: 'nobody' })
            else onBuyer(target.value === 'known' ? { kind: 'known', loyaltyId: '' } : anyone)
          }}
        >
          {Object.entries(kinds).map(([kind, message]) => (
            <option key={kind} value={kind}>
              {t(message)}
            </option>
          ))}
        </select>
      </label>
      {buyer.kind === 'known' && <Known loyaltyId={buyer.loyaltyId} onBuyer={onBuyer} />}
      {buyer.kind === 'anyone' && <Anyone buyer={buyer} onBuyer={onBuyer} tiers={tiers} segments={segments} />}
    </>
  )
}

interface KnownProps {
  readonly loyaltyId: string
  readonly onBuyer: (buyer: Buyer) => void
}

/** A member, found by how its id or one of its loyalty ids begins. */
function Known({ loyaltyId, onBuyer }: KnownProps) {
  const t = useWords()
  const [typed, setTyped] = useState(loyaltyId)
  const prefix = useLater(typed.trim())
  const found = useMembers(prefix)
  const choose = (id: string) => {
    setTyped(id)
    onBuyer({ kind: 'known', loyaltyId: id })
  }
  return (
    <div className={styles['known']}>
      <label>
        {t('try.loyaltyId')}
        <input
          type="search"
          value={typed}
          onChange={({ target }) => choose(target.value)}
          onKeyDown={(event) => {
            const [first] = found.keys()
            if (event.key !== 'Enter' || first === undefined) return
            event.preventDefault()
            choose(first)
          }}
        />
      </label>
      {prefix !== '' && (
        <ul aria-label={t('area.members')}>
          {[...found].map(([card, { memberId, tier }]) => (
            <li key={card}>
              <button type="button" aria-pressed={card === loyaltyId} onClick={() => choose(card)}>
                <span>{memberId}</span>
                <span className="muted small">{[card, tier].filter((one) => one !== undefined).join(', ')}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Members whose id, or one of whose loyalty ids, begins so, by a loyalty id of each. */
function useMembers(prefix: string): ReadonlyMap<string, Member> {
  const options = { enabled: prefix !== '', placeholderData: keepPreviousData }
  const list = MemberService.method.listMembers
  const byId = useQuery(list, { pageSize: membersShown, by: { case: 'memberIdPrefix', value: prefix } }, options)
  const byCard = useQuery(list, { pageSize: membersShown, by: { case: 'loyaltyIdPrefix', value: prefix } }, options)
  const listed = [...(byCard.data?.members ?? []), ...(byId.data?.members ?? [])]
  const cards = listed.flatMap(({ member, loyaltyId }) => {
    const card = loyaltyId || member?.loyaltyIds[0]
    return member === undefined || card === undefined ? [] : [[card, member] as const]
  })
  return new Map(cards.slice(0, membersShown))
}

type AnyoneProps = Omit<BuyerFieldsProps, 'buyer' | 'names'> & {
  readonly buyer: Extract<Buyer, { readonly kind: 'anyone' }>
}

/** Somebody who need not exist, by what benefits ask for. */
function Anyone({ buyer, onBuyer, tiers, segments }: AnyoneProps) {
  const t = useWords()
  const choice = (field: 'tier' | 'segment', label: string, options: readonly string[]) =>
    options.length > 0 && (
      <label>
        {label}
        <select value={buyer[field]} onChange={({ target }) => onBuyer({ ...buyer, [field]: target.value })}>
          <option value="">{t('try.none')}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      </label>
    )
  return (
    <>
      {choice('tier', t('field.tier'), tiers)}
      {choice('segment', t('try.segment'), segments)}
    </>
  )
}

/** What the member of `Anyone` has done and has: benefits for visits and benefits with costs ask for it. */
export function BuyerHas({ buyer, onBuyer, names }: Pick<BuyerFieldsProps, 'buyer' | 'onBuyer' | 'names'>) {
  const t = useWords()
  if (buyer.kind !== 'anyone') return null
  const isFilled = buyer.visits !== '' || Object.keys(buyer.balances).length > 0
  return (
    <details className={styles['has']} open={isFilled}>
      <summary>{t('try.hasWhat')}</summary>
      <div className={styles['fields']}>
        <label>
          {t('try.visits')}
          <input
            inputMode="numeric"
            value={buyer.visits}
            placeholder={nothing}
            onChange={({ target }) => onBuyer({ ...buyer, visits: target.value })}
          />
        </label>
        {[...names.currencies.values()].map(({ currencyId, name }) => (
          <label key={currencyId}>
            {t('try.has', { currency: name ?? currencyId })}
            <input
              inputMode="decimal"
              value={buyer.balances[currencyId] ?? ''}
              placeholder={nothing}
              onChange={({ target }) => {
                const { [currencyId]: _, ...others } = buyer.balances
                const balances = target.value === '' ? others : { ...others, [currencyId]: target.value }
                onBuyer({ ...buyer, balances })
              }}
            />
          </label>
        ))}
      </div>
    </details>
  )
}
