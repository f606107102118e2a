import { Button } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ToolPage } from '../components/tool-page.tsx'
import { TuneForm } from '../features/tune/tune-form.tsx'
import { TuningList } from '../features/tune/tuning-list.tsx'
import { TuningView } from '../features/tune/tuning-view.tsx'
import { TUNE_WORDS as WORDS } from '../features/tune/tune-words.ts'

/** Better settings of an approach: a new tuning with its plan, or one that is under way or done, and all of them. */
export function TunePage() {
  const { name, dataset, alias } = useSearch({ from: '/tools/tune' })
  const navigate = useNavigate({ from: '/tools/tune' })
  return (
    <ToolPage
      aside={
        name === undefined ? null : (
          <Button component={Link} to="/tools/tune" size="compact-sm">
            {WORDS.back}
          </Button>
        )
      }
    >
      {name === undefined ? (
        <TuneForm
          key={`${dataset} ${alias}`}
          dataset={dataset}
          alias={alias}
          onStarted={(started) => void navigate({ search: { name: started } })}
        />
      ) : (
        <TuningView key={name} name={name} />
      )}
      <TuningList />
    </ToolPage>
  )
}
