import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../data/client.ts'
import { useEventLink } from '../data/events.ts'
import { SERVICE_SIGNS, StateDot } from '../components/state-dot.tsx'
import styles from './shell.module.css'

const LINK_TONES = { connecting: 'waiting', open: 'good', lost: 'bad', expired: 'bad' } as const

/** Engine and services in the header: a sign and a word each. */
export function ServiceStates() {
  const link = useEventLink()
  const { data = [] } = useQuery(api.services.list.queryOptions())
  return (
    <ul className={styles.services} aria-label="Services">
      <li>
        <StateDot tone={LINK_TONES[link]} /> engine <span className="hidden-text">{link}</span>
      </li>
      {data.map(({ name, state, detail }) => (
        <li key={name}>
          <Link to="/providers" title={detail === null ? state : `${state}: ${detail}`}>
            <StateDot tone={SERVICE_SIGNS[state]} /> {name} <span className="hidden-text">{state}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
