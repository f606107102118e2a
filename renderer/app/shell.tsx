import { Button, Kbd, Progress, TextInput } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { count, duration, rateWords } from '../components/format.ts'
import { SERVICE_SIGNS, StateDot } from '../components/state-dot.tsx'
import { STEP_NAMES } from '../../core/evidence/step-names.ts'
import { api } from '../data/client.ts'
import { useEngineEvents, useEventLink } from '../data/events.ts'
import { useActiveRun, useProgress } from '../data/progress.ts'
import { CancelButton } from '../features/ladder/cancel-button.tsx'
import { useRunControl } from '../features/ladder/run-control.ts'
import { Tour } from '../features/tour/tour.tsx'
import { useBlind } from '../stores/sight.ts'
import { usePageTitle, useRunNotices } from './run-notices.tsx'
import { CommandPalette } from './command-palette.tsx'
import { serviceDescriptor } from '../../contract/control/service-list.ts'
import { pageAt, PAGE_GROUPS } from '../../core/pages.ts'
import styles from './shell.module.css'
import { SHELL_WORDS } from './shell-words.ts'
import { Page } from '../components/states.tsx'
import { addressOfLink } from './pasted-link.ts'

const WORDS = SHELL_WORDS.frame

const MOD_KEY = navigator.userAgent.includes('Mac') ? '⌘K' : WORDS.ctrlK

/** The frame around every page. */
export function Shell() {
  useEngineEvents(useBlind())
  usePageTitle()
  useRunNotices()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page" onClick={focusPage}>
        {WORDS.skip}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="6" fill="#0072B2" />
            <path d="M10 5v22M22 5v22M10 10h12M10 16h12M10 22h12" stroke="#fff" strokeWidth="2.6" fill="none" />
          </svg>
          {WORDS.ragLadder}
        </Link>
        <button type="button" className={styles.search} onClick={() => spotlight.open()}>
          <span>{WORDS.searchOrCommand}</span>
          <Kbd size="xs">{MOD_KEY}</Kbd>
        </button>
        <GuideLink />
        <ServiceStates />
      </header>
      <nav className={styles.nav} aria-label={WORDS.pages} ref={useActiveInSight()}>
        {PAGE_GROUPS.map(({ name, pages }) => (
          <div key={name ?? pages[0].path} className={styles.group}>
            {name !== null && <span id={`pages-${name}`}>{name}</span>}
            <ul aria-labelledby={name === null ? undefined : `pages-${name}`}>
              {pages.map(({ path, label }) => (
                <li key={path}>
                  <Link to={path} activeOptions={{ exact: path === '/', includeSearch: false }}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main id="page" className={styles.main} tabIndex={-1}>
        {useEventLink() === 'expired' ? <ExpiredLink /> : <Outlet />}
      </main>
      {/* In the page's own flow: a notice takes a row of its own and lies on no control. */}
      <div className={styles.notices}>
        <Notifications
          limit={3}
          withinPortal={false}
          pauseResetOnHover="notification"
          position="bottom-right"
          classNames={{ root: styles.notice ?? '' }}
        />
      </div>
      <RunStrip />
      <CommandPalette />
      <Tour />
    </div>
  )
}

/** In a narrow window the pages are a row that scrolls: keeps the open one in sight. */
function useActiveInSight(): React.RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    nav.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return nav
}

/** Leads to the page of the guide that explains the open page. */
function GuideLink() {
  const { pathname } = useLocation()
  if (pathname === '/help') return null
  return (
    <Link to="/help" search={{ page: pageAt(pathname)?.guide ?? 'first-run' }} className={styles.guide}>
      {WORDS.guide}
    </Link>
  )
}

// The address's fragment is the route, so the link cannot carry the target itself.
function focusPage(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}

/** The run under way, at the foot of every page; in its place a lost engine. */
function RunStrip() {
  const link = useEventLink()
  const job = useActiveRun()
  const progress = useProgress(job)
  const control = useRunControl()
  if (link === 'lost')
    return (
      <footer className={styles.lost} role="status">
        <span aria-hidden="true">▲</span>
        {WORDS.noEngine}
      </footer>
    )
  if (job === null || progress === null) return null
  const moving = job.state === 'running' || job.state === 'queued'
  return (
    <footer className={styles.strip} aria-label={WORDS.runUnderWay}>
      <div className={styles.stripText}>
        <Link to="/runs/$run/progress" params={{ run: job.run_id }}>
          {job.run_id}
        </Link>
        {progress.dataset_id !== null && (
          <span>
            {progress.dataset_id}
            {job.request.dataset_ids.length > 1 && WORDS.of(progress.dataset_number, job.request.dataset_ids.length)}
          </span>
        )}
        {moving && progress.step !== null && <span>{STEP_NAMES[progress.step]}</span>}
        <span>{WORDS.cells(count(progress.done), count(progress.total))}</span>
        <span>{WORDS.failed(count(progress.failed))}</span>
        {moving && progress.cells_per_second !== null && (
          <span>{WORDS.cellsPerSecond(rateWords(progress.cells_per_second))}</span>
        )}
        {moving && progress.left_ms !== null && <span>{WORDS.left(duration(progress.left_ms))}</span>}
        {!moving && <strong>{job.state}</strong>}
      </div>
      <Progress
        className={styles.stripBar}
        value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
        aria-label={WORDS.cellsDone}
        transitionDuration={100}
      />
      {job.state === 'paused' ? (
        <Button onClick={() => control.resume(job.run_id)}>{WORDS.resume}</Button>
      ) : (
        <Button variant="default" disabled={job.state !== 'running'} onClick={() => control.pause(job.run_id)}>
          {WORDS.pause}
        </Button>
      )}
      <CancelButton job={job} />
    </footer>
  )
}

const LINK_TONES = { connecting: 'waiting', open: 'good', lost: 'bad', expired: 'bad' } as const

/** Engine and services in the header: a sign and a word each. */
function ServiceStates() {
  const link = useEventLink()
  const { data = [] } = useQuery(api.services.list.queryOptions())
  const bad = data.filter(({ state }) => SERVICE_SIGNS[state] === 'bad').length
  const running = data.filter(({ state }) => SERVICE_SIGNS[state] === 'good').length
  return (
    <ul className={styles.services} aria-label={WORDS.services}>
      <li>
        <StateDot tone={LINK_TONES[link]} />
        {WORDS.engine}
        <span className="hidden-text">{link}</span>
      </li>
      {data.map(({ name, state, detail }) => (
        <li key={name} className={styles.whereWide}>
          <Link to="/providers" title={detail === null ? state : `${state}: ${detail}`}>
            <StateDot tone={SERVICE_SIGNS[state]} /> {serviceDescriptor(name).title}{' '}
            <span className="hidden-text">{state}</span>
          </Link>
        </li>
      ))}
      <li className={styles.whereNarrow}>
        <Link to="/providers">
          {bad > 0 ? (
            <>
              <StateDot tone="bad" /> {WORDS.servicesFailed(bad)}
            </>
          ) : (
            WORDS.running(running)
          )}
        </Link>
      </li>
    </ul>
  )
}

const EXPIRED = SHELL_WORDS.expiredLink

/** In place of every page while the engine refuses this browser: how to get a link, and where to paste it. */
function ExpiredLink() {
  const [pasted, setPasted] = useState('')
  const address = addressOfLink(pasted)
  const isWrong = pasted.trim() !== '' && address === null
  return (
    <Page title={EXPIRED.title}>
      <div role="alert" className={styles.expired}>
        <p>{EXPIRED.refused}</p>
        <p>
          {EXPIRED.press}
          <kbd>{EXPIRED.enter}</kbd>
          {EXPIRED.where}
          <code>{EXPIRED.command}</code>
          {EXPIRED.desktop}
          <em>{EXPIRED.menuItem}</em>
          {EXPIRED.inItsMenu}
        </p>
      </div>
      <form
        className={styles.expired}
        onSubmit={(event) => {
          event.preventDefault()
          if (address !== null) window.location.assign(`${address}${window.location.hash}`)
        }}
      >
        <TextInput
          label={EXPIRED.paste}
          placeholder={EXPIRED.example}
          autoComplete="off"
          spellCheck={false}
          value={pasted}
          error={isWrong ? EXPIRED.wrong : null}
          onChange={({ currentTarget }) => setPasted(currentTarget.value)}
        />
        <Button type="submit" disabled={address === null}>
          {EXPIRED.open}
        </Button>
      </form>
    </Page>
  )
}
