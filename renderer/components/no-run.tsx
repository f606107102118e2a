import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyPanel, ErrorPanel, LoadingRows, Page } from './states.tsx'

const WORDS = {
  runs: 'The list of runs',
  unknownRun: (run: string) => `No run is named ${run}`,
  launch: 'New run',
}

interface NoRunProps {
  title: string
  /** The list of runs. */
  query: Pick<UseQueryResult, 'error' | 'isError' | 'isPending' | 'isSuccess' | 'refetch'>
  /** The run that the address names. */
  named: string | undefined
  /** `afterLaunch`: what the page shows once there is a run. */
  words: { noRun: string; afterLaunch: string }
}

/** A page of a run while there is none to show: the list loads or failed, it is empty, or the named run is not in it. */
export function NoRun({ title, query, named, words }: NoRunProps) {
  return (
    <Page title={title}>
      {query.isError && <ErrorPanel error={query.error} what={WORDS.runs} retry={() => void query.refetch()} />}
      {query.isPending && <LoadingRows rows={12} />}
      {query.isSuccess && (
        <EmptyPanel title={named === undefined ? words.noRun : WORDS.unknownRun(named)}>
          <p>{words.afterLaunch}</p>
          <Button variant="filled" component={Link} to="/launch">
            {WORDS.launch}
          </Button>
        </EmptyPanel>
      )}
    </Page>
  )
}
