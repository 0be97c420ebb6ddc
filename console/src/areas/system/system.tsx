import { Outlet } from '@tanstack/react-router'
import { useWords } from '../../i18n/words.js'
import { Tabs } from '../../parts/page.js'

/** What the service is made of: itself, its venues, who changed what, and where events go. */
export function System() {
  const t = useWords()
  return (
    <>
      <Tabs
        label={t('area.system')}
        tabs={[
          { to: '/system', title: t('system.overview'), exact: true },
          { to: '/system/venues', title: t('system.venues') },
          { to: '/system/audit', title: t('system.audit') },
          { to: '/system/webhooks', title: t('system.webhooks') },
        ]}
      />
      <Outlet />
    </>
  )
}
