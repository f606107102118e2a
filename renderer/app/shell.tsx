import { Notifications } from '@mantine/notifications'
import { Outlet } from '@tanstack/react-router'
import { useEngineEvents, useEventLink } from '../data/events.ts'
import { Tour } from '../features/tour/tour.tsx'
import { useBlind } from '../stores/sight.ts'
import { CommandPalette } from './command-palette.tsx'
import { ExpiredLink } from './expired-link.tsx'
import { usePlaceKeys } from './place-keys.ts'
import { usePageTitle, useRunNotices } from './run-notices.tsx'
import { RunStrip } from './run-strip.tsx'
import { Sidebar } from './sidebar.tsx'
import styles from './shell.module.css'
import { SHELL_WORDS } from './shell-words.ts'

/** The frame around every page. */
export function Shell() {
  useEngineEvents(useBlind())
  usePageTitle()
  useRunNotices()
  usePlaceKeys()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page" onClick={focusPage}>
        {SHELL_WORDS.skip}
      </a>
      <Sidebar />
      <main id="page" className={styles.main} tabIndex={-1}>
        {useEventLink() === 'expired' ? <ExpiredLink /> : <Outlet />}
      </main>
      {/* In the page's own flow, at its right end: a notice lies on no control and on no table. */}
      <div className={styles.notices}>
        <Notifications
          limit={3}
          withinPortal={false}
          pauseResetOnHover="notification"
          position="bottom-right"
          classNames={{ root: styles.notice ?? '', notification: styles.toast ?? '' }}
        />
      </div>
      <RunStrip />
      <CommandPalette />
      <Tour />
    </div>
  )
}

// The address's fragment is the route, so the link cannot carry the target itself.
function focusPage(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}
