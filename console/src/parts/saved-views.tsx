import { useQuery } from '@connectrpc/connect-query'
import { useQuery as usePlainQuery } from '@tanstack/react-query'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type SavedView, ViewService } from '../../../gateway/gen/loyalty/v1/view_service_pb.js'
import { sessionQuery } from '../api/session.js'
import { newId } from '../api/transport.js'
import { useCommands, useMay } from '../api/use-commands.js'
import { useWords } from '../i18n/words.js'
import { Button, Check, Field, Menu } from './controls.js'
import styles from './saved-views.module.css'
import { ErrorPanel } from './states.js'

interface SavedViewsProps {
  /** The list, as in its address. */
  readonly list: 'calculations' | 'sales' | 'limits' | 'reports'
}

/** The saved views of a list, and what stores its present filters as one. */
export function SavedViews({ list }: SavedViewsProps) {
  const t = useWords()
  const may = useMay()
  const { views: calls } = useCommands()
  const { data, refetch } = useQuery(ViewService.method.listViews, { list })
  const [cause, setCause] = useState<unknown>(null)
  const views = data?.views ?? []
  const run = async (work: Promise<unknown>) => {
    setCause(null)
    await work.then(() => refetch(), setCause)
  }
  return (
    <Menu
      className={`menu ${styles['menu']}`}
      title={views.length === 0 ? t('views.title') : t('views.count', { count: views.length })}
    >
      {views.length === 0 && <p className="muted">{t('views.none')}</p>}
      <ul className="stack">
        {views.map((view) => (
          <li key={view.viewId}>
            <View
              view={view}
              onDelete={() => void run(calls.deleteView({ requestId: newId(), viewId: view.viewId }))}
            />
          </li>
        ))}
      </ul>
      {may('ViewService/StoreView') && (
        <NewView onStore={(view) => run(calls.storeView({ requestId: newId(), list, ...view }))} />
      )}
      {cause !== null && <ErrorPanel cause={cause} />}
    </Menu>
  )
}

function View({ view, onDelete }: { readonly view: SavedView; readonly onDelete: () => void }) {
  const t = useWords()
  const router = useRouter()
  const may = useMay()
  const { data: session } = usePlainQuery(sessionQuery)
  const { list, name, query, shared, storedBy } = view
  const isOwn = session?.name === storedBy
  const path = `/console/${list}${query}`
  return (
    <>
      <a
        href={path}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          event.currentTarget.closest('details')!.open = false
          router.history.push(path)
        }}
      >
        {name}
      </a>
      {may('ViewService/DeleteView') && (isOwn || session?.role === 'admin') && (
        <Button onClick={onDelete} text={t('views.delete')} aria-label={t('views.deleteOne', { name })} />
      )}
      <span className="muted">{shared ? t('views.by', { by: storedBy }) : t('views.own')}</span>
    </>
  )
}

const nameCharactersMax = 80
const memberFilter = /[?&](memberId|loyaltyId|who|subject)=/

interface NewViewProps {
  readonly onStore: (view: Pick<SavedView, 'name' | 'query' | 'shared'>) => Promise<void>
}

function NewView({ onStore }: NewViewProps) {
  const t = useWords()
  const query = useRouterState({ select: ({ location }) => location.searchStr })
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  if (query === '') return <p className="muted">{t('views.noFilter')}</p>
  if (memberFilter.test(query)) return <p className="muted">{t('views.noMember')}</p>
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void onStore({ name: name.trim(), query, shared }).then(() => setName(''))
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Field label={t('views.name')} value={name} maxLength={nameCharactersMax} required onText={setName} />
      <Check text={t('views.share')} checked={shared} onCheck={setShared} />
      <Button type="submit" disabled={name.trim() === ''} text={t('views.store')} />
    </form>
  )
}
