import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { type Member, MemberService } from '../../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { ProgrammeNames } from '../../../api/programme.js'
import { useWords } from '../../../i18n/words.js'
import { Field, Select } from '../../../parts/controls.js'
import { useSettled } from '../../../parts/use-draft.js'
import { anyone, type Buyer } from './basket.js'
import styles from './try.module.css'

const membersShown = 8
const nothing = '0'

interface BuyerFieldsProps {
  readonly buyer: Buyer
  readonly onBuyer: (buyer: Buyer) => void
  readonly names: ProgrammeNames
  readonly tiers: readonly string[]
  readonly segments: readonly string[]
}

export function BuyerFields({ buyer, onBuyer, tiers, segments }: Omit<BuyerFieldsProps, 'names'>) {
  const t = useWords()
  const kinds = { anyone: 'try.anyone', known: 'try.known', nobody: 'try.nobody' } as const
  return (
    <>
      <Select
        label={t('try.buyer')}
        value={buyer.kind}
        onText={(text) => {
          if (text === 'nobody') onBuyer({ kind: 'nobody' })
          else onBuyer(text === 'known' ? { kind: 'known', loyaltyId: '' } : anyone)
        }}
        options={Object.entries(kinds).map(([kind, message]) => [kind, t(message)])}
      />
      {buyer.kind === 'known' && <Known loyaltyId={buyer.loyaltyId} onBuyer={onBuyer} />}
      {buyer.kind === 'anyone' && <Anyone buyer={buyer} onBuyer={onBuyer} tiers={tiers} segments={segments} />}
    </>
  )
}

function Known({ loyaltyId, onBuyer }: { readonly loyaltyId: string; readonly onBuyer: (buyer: Buyer) => void }) {
  const t = useWords()
  const [typed, setTyped] = useState(loyaltyId)
  const prefix = useSettled(typed.trim())
  const found = useMembers(prefix)
  const choose = (id: string) => {
    setTyped(id)
    onBuyer({ kind: 'known', loyaltyId: id })
  }
  return (
    <div className={styles['known']}>
      <Field
        label={t('try.loyaltyId')}
        type="search"
        value={typed}
        onKeyDown={(event) => {
          const [first] = found.keys()
          if (event.key !== 'Enter' || first === undefined) return
          event.preventDefault()
          choose(first)
        }}
        onText={choose}
      />
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

function Anyone({ buyer, onBuyer, tiers, segments }: AnyoneProps) {
  const t = useWords()
  const choice = (field: 'tier' | 'segment', label: string, options: readonly string[]) =>
    options.length > 0 && (
      <Select
        label={label}
        value={buyer[field]}
        onText={(text) => onBuyer({ ...buyer, [field]: text })}
        options={[['', t('try.none')], ...options.map((option) => [option, option] as const)]}
      />
    )
  return (
    <>
      {choice('tier', t('field.tier'), tiers)}
      {choice('segment', t('try.segment'), segments)}
    </>
  )
}

export function BuyerHas({ buyer, onBuyer, names }: Pick<BuyerFieldsProps, 'buyer' | 'onBuyer' | 'names'>) {
  const t = useWords()
  if (buyer.kind !== 'anyone') return null
  const isFilled = buyer.visits !== '' || Object.keys(buyer.balances).length > 0
  return (
    <details className={styles['has']} open={isFilled}>
      <summary>{t('try.hasWhat')}</summary>
      <div className={styles['fields']}>
        <Field
          label={t('try.visits')}
          inputMode="numeric"
          value={buyer.visits}
          placeholder={nothing}
          onText={(text) => onBuyer({ ...buyer, visits: text })}
        />
        {[...names.currencies.values()].map(({ currencyId, name }) => (
          <Field
            key={currencyId}
            label={t('try.has', { currency: name ?? currencyId })}
            inputMode="decimal"
            value={buyer.balances[currencyId] ?? ''}
            placeholder={nothing}
            onText={(text) => {
              const { [currencyId]: _, ...others } = buyer.balances
              const balances = text === '' ? others : { ...others, [currencyId]: text }
              onBuyer({ ...buyer, balances })
            }}
          />
        ))}
      </div>
    </details>
  )
}
