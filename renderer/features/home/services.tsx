import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serviceDescriptor } from '../../../contract/control/service-list.ts'
import { SERVICE_SIGNS, StateDot } from '../../components/state-dot.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.services

/** Services with what they do and their state, in short: they start when something needs them. */
export function Services() {
  const { data, isPending, isError, error, refetch } = useQuery(api.services.list.queryOptions())
  return (
    <Panel title={WORDS.title}>
      {isPending && <LoadingRows rows={1} height={36} />}
      {isError && <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />}
      <ul className={styles.services}>
        {data?.map(({ name, state, detail }) => (
          <li key={name}>
            <span className={styles.state}>
              <StateDot tone={SERVICE_SIGNS[state]} /> <Link to="/providers">{serviceDescriptor(name).title}</Link>{' '}
              {state}
            </span>
            <p className="dim">{detail ?? serviceDescriptor(name).job}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
