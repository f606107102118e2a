import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serviceDescriptor } from '../../../contract/control/service-list.ts'
import { SERVICE_SIGNS, StateDot } from '../../components/state-dot.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.serviceTable

/** Services with their state, in short. */
export function ServiceTable() {
  const { data, isPending, isError, error, refetch } = useQuery(api.services.list.queryOptions())
  if (isPending) return <LoadingRows rows={4} height={36} />
  if (isError) return <ErrorPanel error={error} what={WORDS.serviceList} retry={() => void refetch()} />
  return (
    <table className={table.table}>
      <thead className="hidden-text">
        <tr>
          <th>{WORDS.service}</th>
          <th>{WORDS.state}</th>
        </tr>
      </thead>
      <tbody>
        {data.map(({ name, state, detail }) => (
          <tr key={name}>
            <td>
              <Link to="/providers">{serviceDescriptor(name).title}</Link>
              <div className="dim">{serviceDescriptor(name).job}</div>
            </td>
            <td className={table.wrap}>
              <span className={styles.state}>
                <StateDot tone={SERVICE_SIGNS[state]} /> {state}
              </span>
              {detail !== null && <div className="dim">{detail}</div>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
