import { useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { useNavigate, Link } from '@tanstack/react-router'
import { firstShown, largestSample } from '../components/sample-runs.ts'
import { SampleMark } from '../components/run-marks.tsx'
import { EmptyPanel, Loaded, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useActiveRun } from '../data/progress.ts'
import { UnreadableFiles } from '../components/unreadable-files.tsx'
import { LastRuns } from '../features/home/last-runs.tsx'
import { NewestVerdict, useShownVerdict } from '../features/home/newest-verdict.tsx'
import styles from '../features/home/home.module.css'
import { RunNote } from '../features/ladder/run-note.tsx'
import { HOME_WORDS } from '../features/home/home-words.ts'
import { NewDatasetButton } from '../features/own-data/new-dataset.tsx'
import { OWN_WORDS } from '../features/own-data/own-words.ts'
import { connectionKind } from '../../contract/manifests/model-connections.ts'
import { LOCAL_EMBEDDINGS } from '../../contract/manifests/model-catalogue.ts'
import { isRuleBased } from '../../contract/manifests/model-backends.ts'
import { EmbeddingsOffer } from '../features/models/embeddings-offer.tsx'
import { useSmokeRun } from '../features/home/use-smoke-run.ts'

const WORDS = HOME_WORDS.page

/** Shows what waits for the person, what came out last, and the newest runs; before the first run, how to make one. The run under way is at the foot of every page. */
export function HomePage() {
  // The input of all lists of runs, so that they share one answer.
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } }))
  const active = useActiveRun()
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  // With the runs that have no answer yet.
  const total = useQuery(api.runs.overview.queryOptions({ input: {} })).data?.total
  if (runs.data === undefined)
    return (
      <Page title={WORDS.home}>
        <Loaded query={runs} what={WORDS.runList} rows={10} height={36} />
      </Page>
    )
  const stopped = jobs.filter(({ state }) => state === 'paused' || state === 'interrupted')
  const names = new Set(runs.data.samples)
  const own = runs.data.runs.filter(({ run_id: id }) => !names.has(id))
  const newest = firstShown(own, new Set())
  const samples = runs.data.runs.filter(({ run_id: id }) => names.has(id))
  const sampleList = samples.length > 0 && (
    <Panel title={WORDS.samples}>
      <p className="dim">{WORDS.samplesAbout}</p>
      <LastRuns label={WORDS.samples} ofSamples />
    </Panel>
  )
  if (own.length === 0 && active === null && jobs.length === 0)
    return (
      <Page title={WORDS.home}>
        <UnreadableFiles />
        <FoundOffer />
        <p className={styles.sentence}>{FIRST.purpose}</p>
        <FirstSteps isFirst hasRun={false} sample={largestSample(samples)?.run_id} />
        <VectorsOffer />
        {sampleList}
      </Page>
    )
  return (
    <Page
      title={WORDS.home}
      aside={
        <>
          <span>{WORDS.ownRuns((total ?? runs.data.total) - names.size, names.size)}</span>
          <Button component={Link} to="/launch">
            {WORDS.newRun}
          </Button>
        </>
      }
    >
      {stopped.map((job, index) => (
        <RunNote key={job.run_id} job={job} isPrimary={index === 0} />
      ))}
      <UnreadableFiles />
      <FoundOffer />
      <VectorsOffer />
      {newest !== undefined && <NewestVerdict head={newest} isPrimary={stopped.length === 0} />}
      <FirstSteps isFirst={false} hasRun={jobs.length > 0 || active !== null} sample={largestSample(samples)?.run_id} />
      <Panel title={WORDS.lastResults}>
        {own.length === 0 && jobs.length === 0 ? (
          <EmptyPanel title={WORDS.noResultYet}>
            <p>{WORDS.noResultText}</p>
          </EmptyPanel>
        ) : (
          <LastRuns label={WORDS.lastResults} ofSamples={false} />
        )}
      </Panel>
      {sampleList}
    </Page>
  )
}

const FOUND = HOME_WORDS.foundOffer

/** Model services and files of this machine, while the person has chosen no models of their own; nothing where there are none. */
function FoundOffer() {
  const navigate = useNavigate()
  const own = useQuery(api.models.list.queryOptions()).data?.sets.some((set) => set.own)
  const found = useQuery({ ...api.models.found.queryOptions(), enabled: own === false }).data
  if (own !== false || found === undefined) return null
  const services = found.services.map(({ kind, models }) => FOUND.service(connectionKind(kind).label, models.length))
  const all = [...services, ...(found.files.length === 0 ? [] : [FOUND.files(found.files.length)])]
  if (all.length === 0) return null
  return (
    <div className="notice" role="note">
      <p>{FOUND.found(all)}</p>
      <Button onClick={() => void navigate({ to: '/models' })}>{FOUND.choose}</Button>
    </div>
  )
}

/** Vectors of a model instead of hashed words, for the next run. */
function VectorsOffer() {
  const navigate = useNavigate()
  const sets = useQuery(api.experiment.get.queryOptions()).data?.model_sets ?? []
  return (
    <EmbeddingsOffer
      sets={sets}
      current={sets.find(({ is_default: isDefault }) => isDefault)}
      onUse={() => void navigate({ to: '/launch', search: { modelSet: LOCAL_EMBEDDINGS.set } })}
    />
  )
}

const FIRST = HOME_WORDS.firstRun

interface FirstStepsProps {
  isFirst: boolean
  hasRun: boolean
  /** Run that came with the project; undefined where none did. */
  sample: string | undefined
}

/** Lists the first steps, each until it is done: a decided sample and the example need nothing of theirs, then their own documents and a model. */
function FirstSteps({ isFirst, hasRun, sample }: FirstStepsProps) {
  const { smoke, approaches, start, isStarting } = useSmokeRun()
  const experiment = useQuery(api.experiment.get.queryOptions()).data
  const models = experiment?.model_sets.find(({ is_default: isDefault }) => isDefault)
  const stays = models !== undefined && Object.values(models.roles).every(({ backend }) => isRuleBased(backend))
  const hasData = useQuery(api.datasets.list.queryOptions()).data?.some(({ own }) => own) ?? true
  const hasModels = useQuery(api.models.list.queryOptions()).data?.sets.some(({ own }) => own) ?? true
  if (hasRun && hasData && hasModels) return null
  return (
    <ul className={styles.actions} aria-label={FIRST.actions}>
      {!hasRun && (
        <li data-first={isFirst || undefined}>
          <h2>{sample === undefined ? FIRST.smoke : FIRST.sample}</h2>
          <div>
            {sample !== undefined && <SampleVerdict run={sample} />}
            <p>
              {smoke === undefined
                ? FIRST.readingTheExperiment
                : FIRST.smokeSummary(smoke.questions, approaches.length, stays ? FIRST.local : '')}
            </p>
          </div>
          <div className="buttons">
            {sample !== undefined && (
              <Button
                variant={isFirst ? 'filled' : 'default'}
                renderRoot={(props) => <Link to="/runs/$run/verdict" params={{ run: sample }} {...props} />}
              >
                {FIRST.readSample}
              </Button>
            )}
            <Button
              variant={isFirst && sample === undefined ? 'filled' : 'default'}
              loading={isStarting}
              disabled={smoke === undefined}
              onClick={start}
            >
              {FIRST.runSmoke}
            </Button>
          </div>
        </li>
      )}
      {!hasData && (
        <li>
          <h2>{FIRST.ownData}</h2>
          <p>{FIRST.ownDataAbout}</p>
          <NewDatasetButton label={OWN_WORDS.newDataset.open} />
        </li>
      )}
      {!hasModels && (
        <li>
          <h2>{FIRST.model}</h2>
          <p>{FIRST.modelAbout}</p>
          <Button renderRoot={(props) => <Link to="/models" search={{ connect: true }} {...props} />}>
            {FIRST.connectModel}
          </Button>
        </li>
      )}
    </ul>
  )
}

/** The verdict of a run in one sentence, and what it rests on. */
function SampleVerdict({ run }: { run: string }) {
  const { verdicts } = useShownVerdict(run)
  const [shown] = verdicts
  if (shown === undefined) return null
  return (
    <p>
      <strong>{shown.headline}</strong>{' '}
      <span className="dim">
        {HOME_WORDS.newestVerdict.of(shown.label, shown.questions, verdicts.length - 1)} <SampleMark run={run} />
      </span>
    </p>
  )
}
