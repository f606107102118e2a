import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PlatformWork } from '../../../contract/control/services.ts'
import { moment } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { TableHead, unseen } from '../../components/table-head.tsx'
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
  if (data === undefined) return <p role="alert">▲ {error.message}</p>
  if (data.length === 0) return <p className="dim">{WORDS.empty}</p>
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label={WORDS.title}>
        <TableHead
          columns={[
            WORDS.kind,
            WORDS.about,
            WORDS.state,
            WORDS.progress,
            WORDS.cost,
            WORDS.started,
            unseen(WORDS.action),
          ]}
        />
        <tbody>
          {data.map((work) => (
            <WorkRow key={`${work.kind} ${work.id}`} work={work} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function toneOf({ is_open: isOpen, error, status }: PlatformWork): Tone {
  if (isOpen) return 'waiting'
  if (/cancel/.test(status)) return 'idle'
  return error === null ? 'good' : 'bad'
}

function WorkRow({ work }: { work: PlatformWork }) {
  const { kind, id, title, status, progress, error, cost_usd: cost } = work
  const client = useQueryClient()
  const cancel = useMutation(
    api.services.cancelWork.mutationOptions({
      onSuccess: (list) => client.setQueryData(api.services.work.queryKey(), list),
      onError: (failure) => notifyFailure(title, failure),
    }),
  )
  return (
    <tr>
      <td>{WORDS.kinds[kind]}</td>
      <th scope="row" className={table.wrap}>
        {title}
      </th>
      <td>
        <StateDot tone={toneOf(work)} /> {status}
      </td>
      <td className={styles.about}>{error ?? progress ?? '–'}</td>
      <td>{cost === null ? '–' : cost}</td>
      <td>{moment(work.created_at)}</td>
      <td>
        {work.can_cancel && (
          <Button
            size="xs"
            variant="default"
            loading={cancel.isPending}
            aria-label={WORDS.cancelWork(title)}
            onClick={() => cancel.mutate({ kind, id })}
          >
            {WORDS.cancel}
          </Button>
        )}
      </td>
    </tr>
  )
}
