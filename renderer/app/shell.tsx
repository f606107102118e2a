import { Kbd } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { Link, Outlet } from '@tanstack/react-router'
import { useEngineEvents, useEventLink } from '../data/events.ts'
import { Page } from '../components/states.tsx'
import { useBlind } from '../stores/sight.ts'
import { CommandPalette } from './command-palette.tsx'
import { PAGES } from './page-list.ts'
import { RunStrip } from './run-strip.tsx'
import { ServiceStates } from './service-states.tsx'
import styles from './shell.module.css'

const MOD_KEY = navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'

/** The frame that every page stands in. */
export function Shell() {
  useEngineEvents(useBlind())
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page" onClick={focusPage}>
        Skip to the page
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="6" fill="#0072B2" />
            <path d="M10 5v22M22 5v22M10 10h12M10 16h12M10 22h12" stroke="#fff" strokeWidth="2.6" fill="none" />
          </svg>
          RAG Ladder
        </Link>
        <button type="button" className={styles.search} onClick={() => spotlight.open()}>
          <span>Search or command</span>
          <Kbd size="xs">{MOD_KEY}</Kbd>
        </button>
        <ServiceStates />
      </header>
      <nav className={styles.nav} aria-label="Pages">
        <ul>
          {PAGES.map(({ path, label }) => (
            <li key={path}>
              <Link to={path} activeOptions={{ exact: path === '/', includeSearch: false }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main id="page" className={styles.main} tabIndex={-1}>
        {useEventLink() === 'expired' ? <ExpiredLink /> : <Outlet />}
      </main>
      <RunStrip />
      <CommandPalette />
    </div>
  )
}

/** In place of every page while the engine refuses this browser. */
function ExpiredLink() {
  return (
    <Page title="This link has expired">
      <div role="alert">
        <p>The engine runs, but it does not accept this browser: its one-time link was used elsewhere or is too old.</p>
        <p>
          To get a new link, stop <code>rag-ladder serve</code> with Ctrl-C, start it again and open the link that it
          prints. In the desktop app, choose <em>Open in the browser</em> in its menu.
        </p>
      </div>
    </Page>
  )
}

// The address's fragment is the route, so the link cannot carry the target itself.
function focusPage(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}
