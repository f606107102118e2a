import { useMutation, useQuery } from '@tanstack/react-query'
import { EXTERNAL_SERVICES } from '../../../contract/manifests/connections.ts'
import type { ConnectionView } from '../../../contract/control/settings.ts'
import { ConfirmButton } from '../../components/confirm-dialog.tsx'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { DataTable } from '../../components/tables.tsx'
import { Loaded, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.connectionsPanel

const TONES: Record<ConnectionView['source'], Tone> = {
  setting: 'good',
  variable: 'good',
  file: 'good',
  allowed: 'waiting',
  not_allowed: 'bad',
  none: 'idle',
}

/** Which services outside of this program are used, and what names their addresses. */
export function ConnectionsPanel() {
  const connections = useQuery(api.settings.connections.queryOptions())
  return (
    <Panel title={WORDS.title} aside={WORDS.about}>
      <Loaded query={connections} what={WORDS.theConnections} rows={4}>
        {(rows) => (
          <DataTable
            stacks
            label={WORDS.title}
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              [WORDS.service, ({ name }) => EXTERNAL_SERVICES[name].label],
              [WORDS.address, ({ address }) => address ?? '–'],
              [WORDS.from, (connection) => <Origin connection={connection} />, table.wrap],
              [WORDS.variable, ({ variable }) => <code>{variable}</code>],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Origin({ connection: { name, address, source } }: { connection: ConnectionView }) {
  return (
    <>
      <StateDot tone={TONES[source]} /> {WORDS.sources[source]}
      {source === 'not_allowed' && address !== null && <AllowButton {...{ name, address }} />}
    </>
  )
}

/** Allows an address of the project on this computer, after showing what that means. */
function AllowButton({ name, address }: { name: ConnectionView['name']; address: string }) {
  const allow = useMutation(
    api.settings.allowConnection.mutationOptions({
      meta: { failed: WORDS.allowing, returns: api.settings.connections.queryKey() },
    }),
  )
  const { label } = EXTERNAL_SERVICES[name]
  return (
    <div>
      <ConfirmButton
        label={WORDS.allow}
        name={WORDS.allowOf(label)}
        title={WORDS.allowTitle(new URL(address).origin)}
        confirm={WORDS.allowConfirm}
        keep={WORDS.keep}
        tone="plain"
        loading={allow.isPending}
        onConfirm={(close) => allow.mutate({ name, address }, { onSuccess: close })}
      >
        <p>{WORDS.allowAbout(label)}</p>
      </ConfirmButton>
    </div>
  )
}
