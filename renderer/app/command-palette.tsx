import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSamples } from '../components/run-marks.tsx'
import { firstShown, runLabel } from '../components/sample-runs.ts'
import { api } from '../data/client.ts'
import { useBlind } from '../stores/sight.ts'
import { PAGES, RUN_TABS } from '../../core/pages.ts'
import { usePaletteCommands } from './palette-commands.ts'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.commandPalette

const SHORTEST_SEARCH = 3
/** Runs that are listed, newest first. */
const MOST_RUNS = 6

/** What arrives after its last letter was typed is not selected by the palette: Enter opens the first of it. */
function openFirst(): void {
  if (document.querySelector('[data-action][data-selected]') === null)
    document.querySelector<HTMLElement>('[data-action]')?.click()
}

/** ⌘K: recent runs and actions first; with a word, pages, actions, runs, and a search over questions and answers. */
export function CommandPalette() {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [text] = useDebouncedValue(query.trim(), 150)
  const blind = useBlind()
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 50 } })).data?.runs ?? []
  const samples = useSamples()
  // Read once something is typed, unless a page has the list already.
  const overview = useQuery({ ...api.runs.overview.queryOptions({ input: {} }), enabled: text !== '' && !blind })
  const labels = new Map(blind ? [] : overview.data?.runs.map(({ run_id: run, note }) => [run, note.label]))
  const search = useQuery({
    ...api.matrix.search.queryOptions({ input: { text, limit: 8 } }),
    // Its hits name approaches and hold answers.
    enabled: text.length >= SHORTEST_SEARCH && !blind,
    placeholderData: keepPreviousData,
  })
  const matches = (label: string): boolean => label.toLowerCase().includes(query.trim().toLowerCase())
  // Tools opens its first tool, and a new run is a command.
  const listed = PAGES.filter(({ path }) => path !== '/tools' && path !== '/launch')
  const pages: SpotlightActionData[] = listed.map(({ path, label, about }) => ({
    id: `page-${path}`,
    label,
    description: about,
    onClick: () => void navigate({ to: path }),
  }))
  const shown = useParams({ strict: false }).run ?? firstShown(runs, samples)?.run_id
  const parts: SpotlightActionData[] =
    shown === undefined
      ? []
      : RUN_TABS.map(({ tab, label, about }) => ({
          id: `part-${tab}`,
          label,
          description: `${about} · ${shown}`,
          onClick: () => void navigate({ to: `/runs/$run/${tab}`, params: { run: shown } }),
        }))
  const commands = usePaletteCommands(query.trim() !== '')
  const runActions: SpotlightActionData[] = runs.map(({ run_id: run, datasets }) => ({
    id: `run-${run}`,
    label: [labels.get(run) ?? '', runLabel(run, samples)].filter((part) => part !== '').join(' · '),
    description: datasets.map(({ label }) => label).join(', '),
    onClick: () => void navigate({ to: '/runs/$run/verdict', params: { run } }),
  }))
  const hits: SpotlightActionData[] = (text.length < SHORTEST_SEARCH || blind ? [] : (search.data?.hits ?? [])).map(
    (hit, index) => ({
      id: `hit-${index}`,
      label: hit.query ?? hit.question_id,
      // The excerpt tells hits of one question apart, as their approaches do.
      description: [hit.model, hit.excerpt, hit.dataset_id, hit.run_id].filter((part) => part !== null).join(' · '),
      onClick: () =>
        void navigate({
          to: '/runs/$run/matrix',
          params: { run: hit.run_id },
          search: {
            dataset: hit.dataset_id,
            ...(hit.row_id === null ? { text: hit.query ?? hit.question_id } : { cell: hit.row_id }),
          },
        }),
    }),
  )
  const found = (actions: SpotlightActionData[]): SpotlightActionData[] =>
    actions.filter(({ label }) => matches(label ?? ''))
  const ofRuns = { group: WORDS.runs, actions: found(runActions).slice(0, MOST_RUNS) }
  const ofCommands = { group: WORDS.commands, actions: found(commands) }
  const ofPages = { group: WORDS.pages, actions: found([...pages, ...parts]) }
  const ofHits = { group: WORDS.questionsAndAnswers, actions: hits }
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      filter={(_, actions) => actions}
      actions={(query.trim() === '' ? [ofRuns, ofCommands, ofPages] : [ofPages, ofCommands, ofRuns, ofHits]).filter(
        ({ actions }) => actions.length > 0,
      )}
      nothingFound={WORDS.nothingFound}
      // Open and focused before the next key arrives: what is typed right after the shortcut belongs here.
      transitionProps={{ duration: 0 }}
      searchProps={{
        autoFocus: true,
        placeholder: WORDS.searchHint,
        'aria-label': WORDS.searchOrCommand,
        onKeyDown: ({ key }) => key === 'Enter' && query.trim() !== '' && openFirst(),
      }}
      scrollable
      maxHeight={460}
      lockScroll={false}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      shortcut={['mod + K']}
    />
  )
}
