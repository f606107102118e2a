import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { ServiceTable } from './service-table.tsx'
import { useSmokeRun } from './use-smoke-run.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.firstRun

/** While results are there that no run of this panel made, such as those that come with the project: how to make the first own ones. */
export function FirstRunHint() {
  const { smoke, approaches, start, isStarting } = useSmokeRun()
  return (
    <div className={styles.hint} role="note">
      <p>{WORDS.noRunFromPanel}</p>
      <Button loading={isStarting} disabled={smoke === undefined} onClick={start}>
        {WORDS.runSmoke}
      </Button>
      {smoke !== undefined && <span className="dim">{WORDS.smokeSize(smoke.questions, approaches.length)}</span>}
    </div>
  )
}

/** The first five minutes: one sentence, one button, and what this installation has. */
export function FirstRun() {
  const { smoke, approaches, start, isStarting } = useSmokeRun()
  const experiment = useQuery(api.experiment.get.queryOptions()).data
  const models = experiment?.model_sets.find(({ is_default: isDefault }) => isDefault)
  const stays = models !== undefined && Object.values(models.roles).every(({ backend }) => isRuleBased(backend))
  return (
    <>
      <div className={styles.first}>
        <p className={styles.sentence}>{WORDS.purpose}</p>
        <Button size="md" loading={isStarting} disabled={smoke === undefined} onClick={start}>
          {WORDS.runSmoke}
        </Button>
        <p className="dim">
          {smoke === undefined
            ? WORDS.readingTheExperiment
            : WORDS.smokeSummary(smoke.questions, approaches.length, stays ? WORDS.local : '')}
        </p>
      </div>
      <Panel title={WORDS.available}>
        <ServiceTable />
      </Panel>
    </>
  )
}
