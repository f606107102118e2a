import { Select } from '@mantine/core'
import { useIsMutating, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serviceDescriptor } from '../../../contract/control/service-list.ts'
import type { ServiceName, ServiceView } from '../../../contract/control/services.ts'
import { bytes, count, duration, moment } from '../../components/format.ts'
import { ExperimentalMark } from '../../components/experimental-mark.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { SERVICE_SIGNS, StateDot } from '../../components/state-dot.tsx'
import { LoadingRows, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { DataTable, FactTable, unseen } from '../../components/tables.tsx'
import { useNow } from '../../components/use-now.ts'
import { FigureList } from '../../components/figure-list.tsx'
import { api } from '../../data/client.ts'
import { ModelActions, ModelState } from './model-actions.tsx'
import { hasModels, modelsOf } from './models-of.ts'
import styles from './services.module.css'
import { PlatformWorkTable } from './platform-work.tsx'
import { ServiceLog } from './service-log.tsx'
import { SERVICES_WORDS } from './services-words.ts'

const WORDS = SERVICES_WORDS.servicePanel

const RUNS = ['ready', 'external', 'starting'] as const

/** Lists facts of a service; what it lacks is left out. */
function factsOf({ url, pid, restarts, last_exit: exit, usage, profile, used_by: usedBy }: ServiceView) {
  const facts: [string, string | null][] = [
    [WORDS.address, url],
    [WORDS.process, pid === null ? null : String(pid)],
    [WORDS.restarts, count(restarts)],
    [WORDS.memory, usage === null ? null : bytes(usage.rss_bytes)],
    [WORDS.processor, usage === null ? null : usage.cpu_percent === null ? '–' : `${usage.cpu_percent.toFixed(1)} %`],
    [WORDS.serves, profile],
    [WORDS.keptBy, usedBy === null ? null : usedBy === 'run' ? WORDS.aRun : WORDS.thisPanel],
    [WORDS.lastExit, exit === null ? null : `${exit.signal ?? WORDS.code(exit.code ?? '–')}, ${moment(exit.at)}`],
  ]
  return facts.filter(([, value]) => value !== null)
}

interface ServicePanelProps {
  service: ServiceView
  isLogOpen: boolean
  onLog: () => void
}

/** One service: what it is, how it is, and what can be done. */
export function ServicePanel({ service, isLogOpen, onLog }: ServicePanelProps) {
  const { name, state, detail, can, since } = service
  const isUp = since !== null && RUNS.some((running) => running === state)
  const isListed = state === 'ready' || state === 'external'
  const [dataset, setDataset] = useState<string | null>(null)
  const datasets = useQuery({ ...api.datasets.list.queryOptions(), enabled: name === 'platform' && can.start }).data
  const meta = { refreshes: [api.services.list.key()], failed: name }
  const start = useMutation(api.services.start.mutationOptions({ meta }))
  const stop = useMutation(api.services.stop.mutationOptions({ meta }))
  const restart = useMutation(api.services.restart.mutationOptions({ meta }))
  return (
    <Panel
      title={
        <>
          {serviceDescriptor(name).title} <StateDot tone={SERVICE_SIGNS[state]} /> {state}
        </>
      }
      aside={
        <>
          {name === 'platform' && can.start && (
            <Select
              size="xs"
              aria-label={WORDS.datasetToServe}
              placeholder={WORDS.datasetToServe}
              clearable
              data={datasets?.map(({ id, label }) => ({ value: id, label })) ?? []}
              value={dataset}
              onChange={setDataset}
            />
          )}
          <RowButton label={WORDS.log} name={WORDS.logOf(name)} aria-expanded={isLogOpen} onClick={onLog} />
          <RowButton
            label={WORDS.restart}
            of={name}
            disabled={!can.restart}
            loading={restart.isPending}
            onClick={() => restart.mutate({ name })}
          />
          <RowButton
            label={WORDS.stop}
            of={name}
            disabled={!can.stop}
            loading={stop.isPending}
            onClick={() => stop.mutate({ name })}
          />
          <RowButton
            label={WORDS.start}
            of={name}
            disabled={!can.start}
            loading={start.isPending}
            onClick={() => start.mutate({ name, ...(dataset === null ? {} : { dataset_id: dataset }) })}
          />
        </>
      }
    >
      <p className="dim">{serviceDescriptor(name).job}.</p>
      {detail !== null && <p className={SERVICE_SIGNS[state] === 'bad' ? 'bad' : undefined}>{detail}</p>}
      <FigureList
        className="figures"
        figures={[
          ...(since === null
            ? []
            : ([[isUp ? WORDS.upFor : WORDS.since, <Since key="since" {...{ since, isUp }} />]] as const)),
          ...factsOf(service),
        ]}
      />
      {Object.keys(service.settings).length > 0 && (
        <details className={styles.settings}>
          <summary>{WORDS.startedWith}</summary>
          <FactTable facts={Object.entries(service.settings)} />
        </details>
      )}
      {hasModels(name) && (isListed || can.start) && (
        <div className={styles.models}>
          {isListed ? <ModelTable service={name} /> : <p className="dim">{WORDS.needsService}</p>}
        </div>
      )}
      {name === 'platform' && isListed && (
        <section className={styles.models} aria-label={SERVICES_WORDS.platformWork.title}>
          <h3>{SERVICES_WORDS.platformWork.title}</h3>
          <PlatformWorkTable />
        </section>
      )}
      {isLogOpen && <ServiceLog name={name} />}
    </Panel>
  )
}

/** Shows since when a service is up, or is not. */
function Since({ since, isUp }: { since: string; isUp: boolean }) {
  const now = useNow(isUp)
  return <span title={moment(since)}>{isUp ? duration(Math.max(0, now - Date.parse(since))) : moment(since)}</span>
}

const WHILE_FETCHING_MS = 500

/** The models of a service that runs: asking one that does not would start it. */
function ModelTable({ service }: { service: ServiceName }) {
  const isAtWork = useIsMutating({ mutationKey: ['models', service] }) > 0
  const { data, isPending, error } = useQuery({
    queryKey: ['models', service],
    queryFn: () => modelsOf(service),
    // No event reports models.
    staleTime: 0,
    refetchInterval: ({ state }) =>
      isAtWork || state.data?.some(({ progress }) => progress !== null) === true ? WHILE_FETCHING_MS : false,
  })
  if (isPending) return <LoadingRows rows={3} height={36} />
  if (data === undefined) return <p role="alert">▲ {error.message}</p>
  return (
    <DataTable
      stacks
      label={WORDS.modelsOf(service)}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        [
          WORDS.model,
          ({ id, experimental }) => (
            <>
              {id} {experimental && <ExperimentalMark />}
            </>
          ),
          table.wrap,
        ],
        [WORDS.for, ({ task }) => task],
        [WORDS.licence, ({ license }) => license ?? '–'],
        [WORDS.size, ({ download_bytes: size }) => (size === null ? '–' : bytes(size))],
        [
          WORDS.source,
          ({ source_page: source }) =>
            source === null ? (
              '–'
            ) : (
              <a href={source} target="_blank" rel="noreferrer">
                {new URL(source).host}
              </a>
            ),
        ],
        [WORDS.state, (model) => <ModelState model={model} />],
        [unseen(WORDS.action), (model) => <ModelActions service={service} model={model} />, table.wrap],
      ]}
    />
  )
}
