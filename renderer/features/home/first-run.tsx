import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { plural } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { ServiceTable } from './service-table.tsx'
import { useSmokeRun } from './use-smoke-run.ts'
import styles from './home.module.css'

/** While results are there that no run of this panel made, such as those that come with the project: how to make the first own ones. */
export function FirstRunHint() {
  const { smoke, approaches, start, isStarting } = useSmokeRun()
  return (
    <div className={styles.hint} role="note">
      <p>
        No run was started from this panel yet. The results below were published with the project or made by the command
        line.
      </p>
      <Button loading={isStarting} disabled={smoke === undefined} onClick={start}>
        Run the smoke ladder
      </Button>
      {smoke !== undefined && (
        <span className="dim">
          {plural(smoke.questions, 'question')} × {plural(approaches.length, 'approach', 'approaches')}, about 20
          seconds
        </span>
      )}
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
        <p className={styles.sentence}>
          RAG Ladder asks the same questions of seven retrieval approaches and shows which one fits your documents.
        </p>
        <Button size="md" loading={isStarting} disabled={smoke === undefined} onClick={start}>
          Run the smoke ladder
        </Button>
        <p className="dim">
          {smoke === undefined
            ? 'Reading the experiment…'
            : `${plural(smoke.questions, 'question')} × ${plural(approaches.length, 'approach', 'approaches')}, about 20 seconds.${stays ? ' Nothing leaves this machine.' : ''}`}
        </p>
      </div>
      <Panel title="What is here, and what can be connected">
        <ServiceTable />
      </Panel>
    </>
  )
}
