import { useQuery } from '@tanstack/react-query'
import { EXTERNAL_SERVICES } from '../../../contract/manifests/connections.ts'
import type { ConnectionView } from '../../../contract/control/settings.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { TableHead } from '../../components/table-head.tsx'
import { api } from '../../data/client.ts'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.connectionsPanel

const TONES: Record<ConnectionView['source'], Tone> = {
  setting: 'good',
  variable: 'good',
  file: 'good',
  not_allowed: 'bad',
  none: 'idle',
}

/** Which services outside of this program are used, and what names their addresses. */
export function ConnectionsPanel() {
  const { data, isPending, error, refetch } = useQuery(api.settings.connections.queryOptions())
  return (
    <Panel title={WORDS.title} aside={WORDS.about}>
      {isPending && <LoadingRows rows={4} />}
      {error !== null && <ErrorPanel error={error} what={WORDS.theConnections} retry={() => void refetch()} />}
      {data !== undefined && (
        <div className={table.scroll}>
          <table className={table.table} aria-label={WORDS.title}>
            <TableHead columns={[WORDS.service, WORDS.address, WORDS.from, WORDS.variable]} />
            <tbody>
              {data.map(({ name, variable, address, source }) => (
                <tr key={name}>
                  <th scope="row">{EXTERNAL_SERVICES[name].label}</th>
                  <td>{address ?? '–'}</td>
                  <td className={table.wrap}>
                    <StateDot tone={TONES[source]} /> {WORDS.sources[source]}
                    {source === 'not_allowed' && address !== null && (
                      <>
                        {' '}
                        {WORDS.allow} <code>{WORDS.trustCommand(new URL(address).origin)}</code>
                      </>
                    )}
                  </td>
                  <td>
                    <code>{variable}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
