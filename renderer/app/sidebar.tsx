import { Kbd } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { serviceDescriptor } from '../../contract/control/service-list.ts'
import { FOOT_PAGES, pageAt, placeOf, PLACES } from '../../core/pages.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { StateDot } from '../components/state-dot.tsx'
import { api } from '../data/client.ts'
import { useEventLink } from '../data/events.ts'
import { lampOf } from './service-lamp.ts'
import styles from './sidebar.module.css'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.sidebar

const ICONS: Record<(typeof PLACES)[number]['path'], IconName> = {
  '/': 'home',
  '/datasets': 'datasets',
  '/models': 'models',
  '/runs': 'runs',
  '/tools': 'tools',
}

const MOD_KEY = navigator.userAgent.includes('Mac') ? '⌘K' : WORDS.ctrlK

/** Search, the five places, and at the foot the state of the services, settings and guide. */
export function Sidebar() {
  const { pathname } = useLocation()
  const open = placeOf(pathname)
  return (
    <div className={styles.sidebar}>
      <Link to="/" className={styles.brand} aria-label={WORDS.ragLadder}>
        <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="6" fill="#0072B2" />
          <path d="M10 5v22M22 5v22M10 10h12M10 16h12M10 22h12" stroke="#fff" strokeWidth="2.6" fill="none" />
        </svg>
        <span>{WORDS.ragLadder}</span>
      </Link>
      <button type="button" className={styles.search} onClick={() => spotlight.open()}>
        <span className={styles.label}>
          <Icon name="search" /> {WORDS.search}
          <span className="hidden-text">{WORDS.orCommand}</span>
        </span>
        <Kbd size="xs">{MOD_KEY}</Kbd>
      </button>
      <nav className={styles.places} aria-label={WORDS.places} ref={useOpenInSight(pathname)}>
        <ul>
          {PLACES.map(({ path, label, key }) => (
            <li key={path}>
              <Link
                to={path}
                title={WORDS.keys(key)}
                activeOptions={{ exact: true }}
                {...(path === open ? { 'data-status': 'active', 'aria-current': 'page' } : {})}
              >
                <span className={styles.label}>
                  <Icon name={ICONS[path]} /> {label}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <nav className={styles.foot} aria-label={WORDS.foot}>
        <ul>
          {FOOT_PAGES.map(({ path, label }) => (
            <li key={path}>
              {path === '/services' ? (
                <Lamp label={label} />
              ) : path === '/guide' ? (
                <Link to={path} search={{ page: pageAt(pathname)?.guide ?? 'first-run' }} activeOptions={NO_SEARCH}>
                  <span className={styles.label}>
                    <Icon name="guide" /> {label}
                  </span>
                </Link>
              ) : (
                <Link to={path} activeOptions={NO_SEARCH}>
                  <span className={styles.label}>
                    <Icon name="settings" /> {label}
                  </span>
                </Link>
              )}
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}

const NO_SEARCH = { includeSearch: false } as const

/** In a narrow window the places are a row that scrolls: keeps the open one in sight. */
function useOpenInSight(pathname: string): React.RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return nav
}

/** One lamp for engine and services; leads to their list with logs and restart. */
function Lamp({ label }: { label: string }) {
  const link = useEventLink()
  const { data = [] } = useQuery(api.services.list.queryOptions())
  const { tone, words } = lampOf(link, data)
  const lines = data.map(
    ({ name, state, detail }) => `${serviceDescriptor(name).title}: ${state}${detail === null ? '' : `, ${detail}`}`,
  )
  return (
    <Link to="/services" activeOptions={NO_SEARCH} title={lines.join('\n')}>
      <span className={styles.label}>
        <span className={styles.lamp}>
          <StateDot tone={tone} />
        </span>{' '}
        {label}
      </span>
      <span className={styles.state}>{words}</span>
    </Link>
  )
}
