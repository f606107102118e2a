import { Anchor } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { RunCloudMark } from '../../components/cloud-mark.tsx'
import { count, metricName, plural, pWords, score, signed } from '../../components/format.ts'
import { IntervalBar, IntervalScale } from '../../components/interval-bar.tsx'
import { SampleMark } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { againstBaseline } from '../matrix/pair-of.ts'
import { COMPARE_WORDS as WORDS } from './compare-words.ts'
import styles from './compare.module.css'
import { decisionOf, isOpen, type Difference } from './run-decision.ts'

interface RunDifferencesProps {
  run: string
  others: string[]
  dataset: string
  metric: IndexMetric
  /** Asks for the questions in which an approach differs. */
  onChanged: (alias: string) => void
}

const DECISIONS: Record<ReturnType<typeof decisionOf>, string> = {
  ...WORDS.decisions,
  ...WORDS.onlyIn,
  equal: WORDS.equal,
  noShared: WORDS.noShared,
  unknown: WORDS.unknown,
}

/** The widest difference on screen, in whole steps of 0.1, so that all rows share one scale. */
function domainOf(differences: readonly Difference[]): [number, number] {
  const ends = differences.flatMap(({ pair }) => [pair?.low ?? 0, pair?.high ?? 0, pair?.difference ?? 0].map(Math.abs))
  const widest = Math.max(0.1, Math.ceil(Math.max(...ends, 0) * 10) / 10)
  return [-widest, widest]
}

function Summary({ differences, settled }: { differences: Difference[]; settled: boolean }) {
  const worse = differences.filter(({ pair }) => pair?.decision === 'worse')
  const better = differences.filter(({ pair }) => pair?.decision === 'better')
  if (!settled) return <p className="dim">{WORDS.working}</p>
  return (
    <p className={worse.length > 0 ? styles.worse : undefined} role="status">
      {worse.length === 0 ? WORDS.noRegression : WORDS.regressions(worse.length)}
      {better.length > 0 && WORDS.improvements(better.length)}
      {worse.length === 0 && better.length === 0 && differences.some(isOpen) && WORDS.open}.
    </p>
  )
}

/** A run against others: paired differences per approach on shared questions, with intervals and decisions. */
export function RunDifferences({ run, others, dataset, metric, onChanged }: RunDifferencesProps) {
  const runIds = [run, ...others]
  const means = useQuery(api.compare.runs.queryOptions({ input: { run_ids: runIds, metric, dataset_id: dataset } }))
  const models = means.data?.aliases.map(({ model }) => model) ?? []
  const tested = useQueries({
    queries: models.map((alias) =>
      api.statistics.runs.queryOptions({ input: { run_ids: runIds, dataset_id: dataset, alias, metric } }),
    ),
  })
  if (means.isError)
    return <ErrorPanel error={means.error} what={WORDS.comparison} retry={() => void means.refetch()} />
  if (means.data === undefined) return <LoadingRows rows={8} />
  const differences = means.data.aliases.flatMap(({ model, common, runs }, place) =>
    others.map((other): Difference => {
      const own = runs.find((part) => part.run_id === run)
      const its = runs.find((part) => part.run_id === other)
      return {
        model,
        other,
        common,
        mean: own?.common_mean ?? null,
        otherMean: its?.common_mean ?? null,
        changed: its?.changed ?? 0,
        pair: againstBaseline(tested[place]?.data?.comparison, run, other),
        where: own === undefined ? 'there' : its === undefined ? 'here' : 'both',
      }
    }),
  )
  const failed = tested.find(({ isError }) => isError)
  const domain = domainOf(differences)
  return (
    <>
      {failed === undefined ? (
        <Summary differences={differences} settled={tested.every(({ isSuccess }) => isSuccess)} />
      ) : (
        <ErrorPanel error={failed.error} what={WORDS.significance} retry={() => void failed.refetch()} />
      )}
      {means.data.unknown_run_ids.length > 0 && (
        <p role="alert">{WORDS.notIndexed(means.data.unknown_run_ids.join(', '))}</p>
      )}
      <ScrollTable label={WORDS.differences}>
        <thead>
          <tr>
            <th>{WORDS.approach}</th>
            {others.length > 1 && <th>{WORDS.differenceColumns.against}</th>}
            <th className={table.num}>{WORDS.differenceColumns.shared}</th>
            <th className={table.num}>{WORDS.differenceColumns.own}</th>
            <th className={table.num}>{WORDS.differenceColumns.other}</th>
            <th className={table.num}>{WORDS.differenceColumns.difference(metricName(metric))}</th>
            <th className={styles.barColumn}>
              {WORDS.differenceColumns.bar}
              <IntervalScale domain={domain} marks={[domain[0], 0, domain[1]]} />
            </th>
            <th>{WORDS.differenceColumns.decision}</th>
            <th className={table.num}>{WORDS.differenceColumns.changed}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <DifferenceRow
              key={`${difference.model} ${difference.other}`}
              {...difference}
              {...{ run, domain, onChanged }}
              isNamed={others.length > 1}
            />
          ))}
        </tbody>
      </ScrollTable>
    </>
  )
}

interface DifferenceRowProps extends Difference {
  run: string
  domain: [number, number]
  onChanged: (alias: string) => void
  /** Shows which run it is against. */
  isNamed: boolean
}

function DifferenceRow({ run, domain, isNamed, onChanged, ...difference }: DifferenceRowProps) {
  const { model, other, common, mean, otherMean, changed, pair, where } = difference
  return (
    <tr>
      <th scope="row">
        <ApproachName alias={model} short /> <RunCloudMark run={run} alias={model} />
      </th>
      {isNamed && (
        <td className={styles.runName}>
          {other} <SampleMark run={other} />
        </td>
      )}
      <td className={table.num}>{where === 'both' ? count(common) : '–'}</td>
      <td className={table.num}>{score(mean)}</td>
      <td className={table.num}>{score(otherMean)}</td>
      <td className={table.num}>
        {pair === null || pair.difference === null ? '–' : signed(pair.difference)}
        {pair !== null && pair.low !== null && pair.high !== null && (
          <>
            {' '}
            [{signed(pair.low)}, {signed(pair.high)}]
          </>
        )}
      </td>
      <td>
        <IntervalBar
          value={pair?.difference ?? null}
          interval={
            pair === null || pair.low === null || pair.high === null ? null : { low: pair.low, high: pair.high }
          }
          domain={domain}
          zero={0}
        />
      </td>
      <td title={pair?.p === null || pair === null ? undefined : WORDS.pAfterHolm(pWords(pair.p))}>
        {DECISIONS[decisionOf(difference)]}
      </td>
      <td className={table.num}>
        {where !== 'both' ? (
          '–'
        ) : changed === 0 ? (
          count(0)
        ) : (
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
        )}
      </td>
    </tr>
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
      <p>
        {data.differences.length === 0
          ? WORDS.sameConditions(count(data.same))
          : WORDS.otherConditions(
              plural(data.differences.length, 'field'),
              data.differences.length === 1,
              count(data.same),
            )}
        {data.unknown_run_ids.length > 0 && WORDS.noProvenance(data.unknown_run_ids.join(', '))}
      </p>
      {data.differences.length > 0 && (
        <ScrollTable label={WORDS.fields}>
          <thead>
            <tr>
              <th>{WORDS.field}</th>
              {data.run_ids.map((id) => (
                <th key={id} className={styles.runName}>
                  {id} <SampleMark run={id} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.differences.map(({ path, values }) => (
              <tr key={path}>
                <th scope="row">
                  <span title={path}>{fieldWords(path)}</span>
                </th>
                {values.map((value, index) => (
                  <td key={index} className={`${table.wrap ?? ''} mono`} title={value ?? undefined}>
                    {value === null ? '–' : shortHashes(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </>
  )
}
