import { Button, Progress } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TuningDetail } from '../../../contract/control/tuning.ts'
import { DataTable, FactTable, num } from '../../components/tables.tsx'
import { differenceValue, moment } from '../../components/format.ts'
import { IntervalBar } from '../../components/interval-bar.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { SaveWinner } from './save-winner.tsx'
import { SettingTable } from './setting-table.tsx'
import { TuningMap } from './tuning-map.tsx'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

const POLL_MS = 700

/** One tuning: what it found or how far it is, its settings, the map, and all openings of its holdout. */
export function TuningView({ name }: { name: string }) {
  const [map, setMap] = useState<[string, string] | undefined>(undefined)
  const { data, error } = useQuery({
    ...api.tunings.get.queryOptions({ input: { name, ...(map === undefined ? {} : { map }) } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.head.state === 'running' ? POLL_MS : false),
  })
  if (error !== null) return <ErrorPanel error={error} what={WORDS.theTuning} />
  if (data === undefined) return <LoadingRows rows={6} />
  const { head, result } = data
  return (
    <>
      <section className={styles.block} aria-label={WORDS.theTuning}>
        <h2>{head.name}</h2>
        <div aria-live="polite">
          {head.sentence !== null && <p className={styles.headline}>{head.sentence}</p>}
          <State detail={data} />
        </div>
        {result !== null && result.confirmed !== null && <Holdout metric={head.metric} confirmed={result.confirmed} />}
        {result !== null && result.winner !== 0 && (
          <SaveWinner tuning={head.name} suggestion={`${head.alias}-tuned`} notSaved={result.not_saved} />
        )}
      </section>
      {result !== null && (
        <>
          <SettingTable metric={head.metric} result={result} />
          {result.map !== null && (
            <TuningMap metric={head.metric} map={result.map} mappable={result.mappable} onChange={setMap} />
          )}
        </>
      )}
      <Openings openings={data.openings} edited={data.edited} />
      {result !== null && (
        <section className={styles.block} aria-label={WORDS.details}>
          <h2>{WORDS.details}</h2>
          <FactTable facts={result.facts} />
        </section>
      )}
    </>
  )
}

/** Shows how far it is, and what a person can do. */
function State({ detail: { head, progress } }: { detail: TuningDetail }) {
  const refreshes = [api.tunings.key()]
  const stop = useMutation(api.tunings.stop.mutationOptions({ meta: { refreshes, failed: WORDS.stopping } }))
  const resume = useMutation(api.tunings.resume.mutationOptions({ meta: { refreshes, failed: WORDS.starting } }))
  const { name, state, trials, failure, resumable } = head
  if (state === 'done') return null
  const isOver = trials.done >= trials.total
  return (
    <>
      <Progress value={(100 * trials.done) / Math.max(1, trials.total)} aria-label={WORDS.progress} />
      <p>
        <span aria-hidden="true">{WORDS.states[state].sign}</span> {WORDS.of(trials.done, trials.total)}.{' '}
        {state === 'running'
          ? isOver
            ? WORDS.holdoutRuns
            : WORDS.runs
          : failure === null
            ? WORDS.stopped
            : WORDS.failed(failure)}
      </p>
      <div className="row">
        {state === 'running' && (
          <Button loading={stop.isPending} onClick={() => stop.mutate({ name })}>
            {WORDS.stop}
          </Button>
        )}
        {state !== 'running' && resumable && (
          <Button variant="filled" loading={resume.isPending} onClick={() => resume.mutate({ name })}>
            {WORDS.resume}
          </Button>
        )}
        {state !== 'running' && !resumable && <p className="dim">{WORDS.byCommand}</p>}
      </div>
      {progress.length > 0 && (
        <pre className={styles.log} tabIndex={0} role="region" aria-label={WORDS.progress}>
          {progress.toReversed().join('\n')}
        </pre>
      )}
    </>
  )
}

type Confirmed = NonNullable<NonNullable<TuningDetail['result']>['confirmed']>

function Holdout({ metric, confirmed: { difference, low, high, level } }: { metric: string; confirmed: Confirmed }) {
  const reach = Math.max(0.1, Math.abs(low), Math.abs(high))
  return (
    <div className={styles.interval}>
      <p className="dim">{WORDS.onHoldout(String(Number((level * 100).toFixed(3))))}</p>
      <IntervalBar value={difference} interval={{ low, high }} domain={[-reach, reach]} zero={0} />
      <p>
        {differenceValue(metric, difference)} [{differenceValue(metric, low)}, {differenceValue(metric, high)}]
      </p>
    </div>
  )
}

function Openings({ openings, edited }: Pick<TuningDetail, 'openings' | 'edited'>) {
  return (
    <section className={styles.block} aria-label={WORDS.openings}>
      <h2>{WORDS.openings}</h2>
      <p className="dim">{openings.length === 0 ? WORDS.sealed : WORDS.openingsAbout(openings.length)}</p>
      {edited.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {openings.length > 0 && (
        <DataTable
          label={WORDS.openings}
          rows={openings}
          keyOf={({ at, tuning }) => `${at} ${tuning}`}
          columns={[
            [WORDS.when, ({ at }) => moment(at)],
            [WORDS.theTuning, ({ tuning }) => tuning],
            [WORDS.alias, ({ alias }) => alias],
            [WORDS.winner, ({ winner }) => winner],
            [WORDS.metric, ({ metric }) => metric],
            [num(WORDS.questions), ({ questions }) => questions],
          ]}
        />
      )}
    </section>
  )
}
