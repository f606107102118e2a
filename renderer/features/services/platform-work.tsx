import { useMutation, useQuery } from '@tanstack/react-query'
import type { PlatformWork } from '../../../contract/control/services.ts'
import { moment } from '../../components/format.ts'
import { RowButton } from '../../components/row-button.tsx'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { DataTable, unseen } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import styles from './services.module.css'
import { SERVICES_WORDS } from './services-words.ts'

const WORDS = SERVICES_WORDS.platformWork

const OPEN_MS = 1000
const IDLE_MS = 5000

/** Background jobs, research sessions and media operations of the platform that runs. */
export function PlatformWorkTable() {
  const { data, isPending, error } = useQuery({
    ...api.services.work.queryOptions(),
    // No event reports them.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(({ is_open: isOpen }) => isOpen) === true ? OPEN_MS : IDLE_MS),
  })
  if (isPending) return <LoadingRows rows={2} height={36} />
  if (data === undefined) return <ProblemLine problem={error} />
  if (data.length === 0) return <p className="dim">{WORDS.empty}</p>
  return (
    <DataTable
      stacks
      label={WORDS.title}
      rows={data}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      nameAt={1}
      columns={[
        [WORDS.kind, ({ kind }) => WORDS.kinds[kind]],
        [WORDS.about, ({ title }) => title, table.wrap],
        [
          WORDS.state,
          (work) => (
            <>
              <StateDot tone={toneOf(work)} /> {work.status}
            </>
          ),
        ],
        [WORDS.progress, ({ error: why, progress }) => why ?? progress ?? '–', styles.about],
        [WORDS.cost, ({ cost_usd: cost }) => cost ?? '–'],
        [WORDS.started, ({ created_at: at }) => moment(at)],
        [unseen(WORDS.action), (work) => work.can_cancel && <CancelButton work={work} />],
      ]}
    />
  )
}

function toneOf({ is_open: isOpen, error, status }: PlatformWork): Tone {
  if (isOpen) return 'waiting'
  if (/cancel/.test(status)) return 'idle'
  return error === null ? 'good' : 'bad'
}

function CancelButton({ work: { kind, id, title } }: { work: PlatformWork }) {
  const cancel = useMutation(
    api.services.cancelWork.mutationOptions({ meta: { failed: title, returns: api.services.work.queryKey() } }),
  )
  return (
    <RowButton label={WORDS.cancel} of={title} loading={cancel.isPending} onClick={() => cancel.mutate({ kind, id })} />
  )
}
