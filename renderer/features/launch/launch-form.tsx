import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { plural } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { AliasChoice } from './alias-choice.tsx'
import { DatasetChoice } from './dataset-choice.tsx'
import { chosen, draftOf, type LaunchDraft, requestOf, searchOf } from './launch-draft.ts'
import { LaunchOptions } from './launch-options.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { problemOf, usePlan } from './use-plan.ts'
import styles from './launch.module.css'

/** Choices on the left; on the right what they would do. The address holds all of them. */
export function LaunchForm({ experiment }: { experiment: ExperimentView }) {
  const navigate = useNavigate({ from: '/launch' })
  const search = useSearch({ from: '/launch' })
  const { datasets, models } = chosen(experiment, search)
  const [draft, setDraft] = useState(() => draftOf(experiment, search))
  const choose = (part: { datasets?: string[]; models?: string[] }): void =>
    void navigate({ search: { ...search, datasets, models, ...part }, replace: true })
  const change = (next: LaunchDraft): void => {
    setDraft(next)
    void navigate({ search: { ...search, ...searchOf(next, experiment) }, replace: true })
  }
  const request = requestOf(draft, datasets, models)
  const state = usePlan(request)
  const aliases = experiment.aliases
  const sets: [string, string[]][] = [
    ['None', []],
    ['Canonical', aliases.filter(({ canonical }) => canonical).map(({ alias }) => alias)],
    ['All bases', aliases.filter(({ flavor }) => flavor === null).map(({ alias }) => alias)],
    ['All', aliases.map(({ alias }) => alias)],
  ]
  return (
    <div className={styles.layout}>
      <div className={styles.stack}>
        <Panel title="Rungs" aside={plural(datasets.length, 'rung')}>
          <DatasetChoice
            datasets={experiment.datasets}
            chosen={datasets}
            onChange={(next) => choose({ datasets: next })}
          />
          <Problem text={problemOf(state.problems, 'dataset_ids')} />
        </Panel>
        <Panel
          title="Approaches and flavors"
          aside={
            <>
              <span>{models.length} chosen</span>
              {sets.map(([name, set]) => (
                <Button key={name} size="compact-xs" variant="default" onClick={() => choose({ models: set })}>
                  {name}
                </Button>
              ))}
            </>
          }
        >
          <AliasChoice aliases={aliases} chosen={models} onChange={(next) => choose({ models: next })} />
          <Problem text={problemOf(state.problems, 'models')} />
        </Panel>
        <Panel title="Metrics and run">
          <LaunchOptions {...{ experiment, draft }} problems={state.problems} onChange={change} />
        </Panel>
      </div>
      <div className={styles.sticky}>
        <PlanPanel request={request} state={state} onNewName={() => change({ ...draft, runId: '' })} />
      </div>
    </div>
  )
}

function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return <p className={styles.problem}>▲ {text}</p>
}
