import { Checkbox, NumberInput, TagsInput, TextInput } from '@mantine/core'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BUILTIN_JUDGES } from '../../../contract/control/judging.ts'
import { DEFAULT_ROTATIONS, MAX_ROTATIONS } from '../../../contract/manifests/evaluation.ts'
import { FormButton } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { count } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { JUDGES_WORDS as WORDS } from './judges-words.ts'
import { type Round, setInput } from './use-ballot.ts'

interface JudgeRunDialogProps {
  run: string
  /** Null judges every dataset of the run. */
  dataset: string | null
  /** Judges of the run that gave no verdict: they are not preset. */
  missing?: readonly string[]
}

/** Has the stored answers of a finished run graded by judges; no approach is called again. */
export function JudgeRunDialog({ run, dataset, missing = [] }: JudgeRunDialogProps) {
  const navigate = useNavigate()
  // Not the experiment: it names every approach, and this page may be blind.
  const set = useQuery(api.settings.get.queryOptions()).data?.settings.judge_models ?? BUILTIN_JUDGES
  const usable = set.filter((judge) => !missing.includes(judge))
  const known = usable.length >= 2 ? usable : [...new Set([...usable, ...BUILTIN_JUDGES])]
  const [draft, setDraft] = useState<{ judges: string[] | null; rotations: number | null; reference: boolean }>({
    judges: null,
    rotations: DEFAULT_ROTATIONS,
    reference: true,
  })
  const models = draft.judges ?? [...known]
  const field = formFields({
    words: WORDS.judgeRun,
    draft: { ...draft, judges: models },
    onChange: (part) => setDraft({ ...draft, ...part }),
  })
  const judge = useMutation(
    api.judges.judgeRun.mutationOptions({
      onSuccess: () => void navigate({ to: '/runs/$run/progress', params: { run } }),
    }),
  )
  return (
    <FormButton
      words={{ ...WORDS.judgeRun, title: WORDS.judgeRun.title(run) }}
      action={judge}
      isReady={models.length >= 2}
      onSubmit={() => {
        const { rotations, reference } = draft
        judge.mutate({
          run_id: run,
          ...(dataset === null ? {} : { dataset_ids: [dataset] }),
          judge: { models, rotations: rotations ?? DEFAULT_ROTATIONS, reference },
        })
      }}
    >
      <p>{WORDS.judgeRun.effect(dataset ?? run)}</p>
      <TagsInput {...field.list('judges')} data={[...new Set([...BUILTIN_JUDGES, ...known])]} />
      <NumberInput {...field.number('rotations')} min={1} max={MAX_ROTATIONS} allowDecimal={false} />
      <Checkbox {...field.check('reference')} />
    </FormButton>
  )
}

/** Starts a blind round: which questions, what is shown beside the answers, and what is hidden until the approaches are revealed. */
export function BeginDialog({ round, questions }: { round: Round; questions: number }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<{ questions: number | null; reference: boolean }>({ questions, reference: true })
  const field = formFields({
    words: WORDS.begin,
    draft,
    onChange: (part) => setDraft({ ...draft, ...part }),
  })
  const wanted = draft.questions ?? questions
  const input = { run_id: round.run, dataset_id: round.dataset }
  const begin = useMutation(
    api.judges.begin.mutationOptions({
      onSuccess: async (state) => {
        client.setQueryData(api.judges.state.queryKey({ input }), state)
        await forgetGrades(client)
      },
    }),
  )
  return (
    <FormButton
      words={WORDS.begin}
      action={begin}
      onSubmit={() =>
        begin.mutate({
          ...input,
          reference: draft.reference,
          ...(wanted < questions ? { questions: wanted } : {}),
        })
      }
    >
      <p>{WORDS.begin.effect}</p>
      <p className="dim">{WORDS.begin.seen}</p>
      <NumberInput
        {...field.number('questions')}
        description={WORDS.begin.questionsNote(count(questions))}
        min={1}
        max={questions}
        allowDecimal={false}
      />
      <Checkbox {...field.check('reference')} />
    </FormButton>
  )
}

/** Forgets what pages keep of a run's grades, which may be shown no more, or again: what is on screen is fetched again, the rest is dropped. */
async function forgetGrades(client: QueryClient): Promise<void> {
  client.removeQueries({ queryKey: api.judges.results.key() })
  for (const queryKey of [
    api.matrix.key(),
    api.cells.key(),
    api.statistics.key(),
    api.compare.key(),
    api.runs.summary.key(),
  ]) {
    client.removeQueries({ queryKey, type: 'inactive' })
    await client.invalidateQueries({ queryKey })
  }
}

/** The one question before the names: what it ends, under which name, and that it is logged. */
export function RevealDialog({ round }: { round: Round }) {
  const client = useQueryClient()
  const [rater, setRater] = useState('')
  const reveal = useMutation(
    api.judges.reveal.mutationOptions({
      onSuccess: async () => {
        await forgetGrades(client)
        await client.invalidateQueries({ queryKey: api.judges.key() })
      },
    }),
  )
  const sets = useQuery(api.judges.blindSets.queryOptions({ input: setInput(round, 0) })).data
  const [voted, total] = [sets?.voted ?? 0, sets?.total ?? 0]
  const name = rater.trim()
  return (
    <FormButton
      words={WORDS.reveal}
      action={reveal}
      onSubmit={() =>
        reveal.mutate({
          run_id: round.run,
          dataset_id: round.dataset,
          ...(name === '' ? {} : { rater: name }),
        })
      }
    >
      <p>
        {voted === 0 ? WORDS.reveal.noVotes : WORDS.reveal.votes(count(voted), count(total))}
        {WORDS.reveal.effect}
      </p>
      <TextInput
        label={WORDS.reveal.name}
        placeholder={WORDS.reveal.namePlaceholder}
        maxLength={128}
        value={rater}
        onChange={({ currentTarget }) => setRater(currentTarget.value)}
      />
    </FormButton>
  )
}
