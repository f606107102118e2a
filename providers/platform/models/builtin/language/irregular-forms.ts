/** English verbs and nouns whose forms a stemmer cannot join: base form first, then the others. */
const FORMS = `
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bind bound
bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought
catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|do did done does|draw drew drawn
dream dreamt|drink drank drunk|drive drove driven|dwell dwelt|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
freeze froze frozen|get got gotten|give gave given|go went gone goes|grind ground|grow grew grown|hang hung|have had has
hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt
learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|pay paid|prove proven|ride rode ridden
ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken
shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid
smell smelt|sow sown|speak spoke spoken|spend spent|spill spilt|spin spun|spoil spoilt|spring sprang sprung|stand stood
steal stole stolen|stick stuck|sting stung|strike struck stricken|string strung|strive strove striven|swear swore sworn
sweep swept|swell swollen|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|tread trod trodden|understand understood|undertake undertook undertaken|overtake overtook overtaken
wake woke woken|wear wore worn|weave wove woven|weep wept|win won|wind wound|withdraw withdrew withdrawn|withstand withstood
write wrote written|overcome overcame|undergo underwent undergone|foresee foresaw foreseen|rebuild rebuilt|retake retook
child children|foot feet|goose geese|man men|mouse mice|ox oxen|person people persons|tooth teeth|woman women|life lives
knife knives|leaf leaves|loaf loaves|half halves|wolf wolves|shelf shelves|wife wives|thief thieves|calf calves
datum data|medium media|crisis crises|basis bases|axis axes|analysis analyses|criterion criteria|phenomenon phenomena
larva larvae|alga algae|fungus fungi|nucleus nuclei|radius radii|index indices|matrix matrices|appendix appendices
die died dies dying|lie lay lain lied lying|tie tied tying|bacterium bacteria|stratum strata|maximum maxima|minimum minima`

const baseForms = new Map<string, string>()
for (const entry of FORMS.trim().split(/[|\n]/)) {
  const [base, ...forms] = entry.trim().split(' ')
  for (const form of forms) if (!baseForms.has(form)) baseForms.set(form, base!)
}
// More often words of their own than forms of another.
for (const word of ['bit', 'ground', 'lay', 'left', 'media', 'saw', 'felt', 'wound']) baseForms.delete(word)

/** The base form of an irregular English form in lower case; any other word as it is. */
export function baseForm(word: string): string {
  return baseForms.get(word) ?? word
}
