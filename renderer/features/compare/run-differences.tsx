import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { RunChanges } from '../../../contract/control/comparison.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { ratioWords } from '../../../contract/words.ts'
import { pairState } from '../../../core/evidence/pair-state.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { RunCloudMark } from '../../components/cloud-mark.tsx'
import { count, metricName, plural, pWords, score, signed } from '../../components/format.ts'
import { IntervalBar, scaleColumn } from '../../components/interval-bar.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { runColumn } from './run-column.tsx'
import { api } from '../../data/client.ts'
import { COMPARE_WORDS as WORDS } from './compare-words.ts'
import { decisionOf, type Difference } from './run-decision.ts'

interface RunDifferencesProps {
  run: string
  other: string
  dataset: string
  metric: IndexMetric
  /** Asks for the questions in which an approach differs. */
  onChanged: (alias: string) => void
}

const DECISIONS: Record<ReturnType<typeof decisionOf>, string> = {
  ...WORDS.states,
  ...WORDS.onlyIn,
  same: WORDS.same,
  noShared: WORDS.noSharedQuestion,
  unknown: WORDS.unknown,
}

/** The widest difference on screen, in whole steps of 0.1, so that all rows share one scale. */
function domainOf(differences: readonly Difference[]): [number, number] {
  const ends = differences.flatMap(({ change }) => {
    const { value, interval } = change?.pair?.difference ?? { value: null, interval: null }
    return [interval?.low ?? 0, interval?.high ?? 0, value ?? 0].map(Math.abs)
  })
  const widest = Math.max(0.1, Math.ceil(Math.max(...ends, 0) * 10) / 10)
  return [-widest, widest]
}

/** Shows what changed, as the engine words it: nothing about significance where no test was made. */
function Summary({ changes }: { changes: RunChanges | undefined }) {
  if (changes === undefined) return <p className="dim">{WORDS.working}</p>
  const isWorse = changes.changes.some(({ pair }) => pair?.decision === 'worse')
  return (
    <div role="status">
      <p className={isWorse ? 'bad strong' : 'strong'}>{changes.headline}.</p>
      <p>{changes.why}</p>
    </div>
  )
}

/** A run against another: paired differences per approach on shared questions, with intervals and decisions. */
export function RunDifferences({ run, other, dataset, metric, onChanged }: RunDifferencesProps) {
  const runIds = [run, other]
  const means = useQuery(api.compare.runs.queryOptions({ input: { run_ids: runIds, metric, dataset_id: dataset } }))
  const tested = useQuery(api.statistics.runs.queryOptions({ input: { run_ids: runIds, dataset_id: dataset, metric } }))
  if (means.isError)
    return <ErrorPanel error={means.error} what={WORDS.comparison} retry={() => void means.refetch()} />
  if (means.data === undefined) return <LoadingRows rows={8} />
  const differences = means.data.aliases.map(({ model, common, runs }): Difference => {
    const own = runs.find((part) => part.run_id === run)
    const its = runs.find((part) => part.run_id === other)
    const change = tested.data?.changes.find((each) => each.model === model) ?? null
    return {
      model,
      // The test is on what it pairs, which may be less than both runs share.
      common: change?.pair?.difference.n ?? common,
      mean: change?.to ?? own?.common_mean ?? null,
      otherMean: change?.from ?? its?.common_mean ?? null,
      changed: its?.changed ?? 0,
      change,
      state: change === null || change.pair === null ? null : pairState(change.pair),
      where: own === undefined ? 'there' : its === undefined ? 'here' : 'both',
    }
  })
  const domain = domainOf(differences)
  return (
    <>
      {tested.isError ? (
        <ErrorPanel error={tested.error} what={WORDS.tests} retry={() => void tested.refetch()} />
      ) : (
        <Summary changes={tested.data} />
      )}
      {means.data.unknown_run_ids.length > 0 && (
        <p role="alert">{WORDS.notIndexed(means.data.unknown_run_ids.join(', '))}</p>
      )}
      <DataTable
        label={WORDS.differences}
        rows={differences}
        keyOf={({ model }) => model}
        columns={[
          [
            WORDS.approach,
            ({ model }) => (
              <>
                <ApproachName alias={model} short /> <RunCloudMark run={run} alias={model} />
              </>
            ),
          ],
          [num(WORDS.differenceColumns.shared), ({ where, common }) => (where === 'both' ? count(common) : '–')],
          [num(WORDS.differenceColumns.own), ({ mean }) => score(mean)],
          [num(WORDS.differenceColumns.other), ({ otherMean }) => score(otherMean)],
          [num(WORDS.differenceColumns.difference(metricName(metric))), differenceWords],
          [
            scaleColumn(WORDS.differenceColumns.bar, domain, [domain[0], 0, domain[1]]),
            ({ change }) => <IntervalBar {...(change?.pair?.difference ?? NO_VALUE)} domain={domain} zero={0} />,
          ],
          [WORDS.differenceColumns.decision, (difference) => <Decision difference={difference} />],
          [
            num(WORDS.differenceColumns.changed),
            (difference) => <Changed difference={difference} onChanged={onChanged} />,
          ],
        ]}
      />
    </>
  )
}

const NO_VALUE = { value: null, interval: null }

function differenceWords({ change }: Difference): string {
  const { value, interval } = change?.pair?.difference ?? NO_VALUE
  if (value === null) return '–'
  if (interval === null) return signed(value)
  const ratio = change?.pair?.ratio
  const range = ratio === undefined ? `[${signed(interval.low)}, ${signed(interval.high)}]` : ratioWords(ratio)
  return `${signed(value)} ${range}`
}

function Decision({ difference }: { difference: Difference }) {
  const p = difference.change?.pair?.p_adjusted ?? null
  return <span title={p === null ? undefined : WORDS.pAfterHolm(pWords(p))}>{DECISIONS[decisionOf(difference)]}</span>
}

interface ChangedProps extends Pick<RunDifferencesProps, 'onChanged'> {
  difference: Difference
}

/** Shows how many questions differ and lists them. */
function Changed({ difference: { where, changed, model }, onChanged }: ChangedProps) {
  if (where !== 'both') return '–'
  if (changed === 0) return count(0)
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      c="var(--accent)"
      underline="always"
      aria-label={WORDS.questions.showChanged(count(changed), model)}
      onClick={() => onChanged(model)}
    >
      {count(changed)}
    </Anchor>
  )
}

/** `runtime › runtime files 2 › name` for `runtime.runtime_files[1].name`. */
const fieldWords = (path: string): string =>
  path
    .replaceAll(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
    .replaceAll('_', ' ')
    .replaceAll('.', ' › ')

/** The beginning of a hash distinguishes it from others. */
const shortHashes = (value: string): string =>
  value.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{28,}\b/g, (_, start: string) => `${start}…`)

/** The fields of the runs' provenance that differ, side by side. */
export function ProvenanceDifferences({ runIds, dataset }: { runIds: string[]; dataset: string }) {
  const { data, isError, error, refetch } = useQuery(
    api.compare.provenance.queryOptions({ input: { run_ids: runIds, dataset_id: dataset } }),
  )
  if (isError) return <ErrorPanel error={error} what={WORDS.provenance} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={4} />
  return (
    <>
      {/* One run alone has no differences: that is not a comparison. */}
      {data.run_ids.length - data.unknown_run_ids.length > 1 && (
        <p>
          {data.differences.length === 0
            ? WORDS.sameConditions(count(data.same))
            : WORDS.otherConditions(
                plural(data.differences.length, 'field'),
                data.differences.length === 1,
                count(data.same),
              )}
        </p>
      )}
      {data.unknown_run_ids.length > 0 && <p>{WORDS.noProvenance(data.unknown_run_ids.join(', '))}</p>}
      {data.differences.length > 0 && (
        <DataTable
          label={WORDS.fields}
          rows={data.differences}
          keyOf={({ path }) => path}
          columns={[
            [WORDS.field, ({ path }) => <span title={path}>{fieldWords(path)}</span>],
            ...data.run_ids.map((run, at): DataColumn<(typeof data.differences)[number]> => [
              runColumn(run),
              ({ values }) => {
                const value = values[at] ?? null
                return value === null ? '–' : <span title={value}>{shortHashes(value)}</span>
              },
              `${table.wrap} mono`,
            ]),
          ]}
        />
      )}
    </>
  )
}
