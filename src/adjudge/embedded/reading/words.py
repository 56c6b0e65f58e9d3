"""English words as the rules see them: tokens with their places, stems, and a guess at which of them are verbs."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

import Stemmer

from adjudge.scoring.terms import STOPWORDS
from adjudge.text import words


class TextToken(NamedTuple):
    """A word or a mark, and where it stands; a tuple because a text has thousands of them."""

    text: str
    lower: str
    start: int
    end: int


TOKEN = re.compile(
    r"['’](?:s|re|ve|ll|d|m)\b"  # Rose's and, in tokenised corpora, Rose 's
    r"|n['’]t\b"
    r"|\d+(?:[.,:]\d+)*(?:%|(?![^\W_]))"
    r"|[^\W\d_]\w*(?:[-.&][^\W_]+|['’](?!(?:s|re|ve|ll|d|m)\b)[^\W_]+)*"  # runner-up, U.S, don't, AT&T
    r"|\w+"
    r"|[^\w\s]"
)

LONGEST_KEPT = 1000

AUXILIARIES = words(
    """am is are was were isn't aren't wasn't weren't be been being has have had hasn't haven't hadn't do does did don't
    doesn't didn't can could can't couldn't cannot will would won't wouldn't shall should shouldn't may might must
    mustn't 's 're 've 'll 'd 'm ’s ’re ’ve ’ll ’d ’m"""
)
FINITE_AUXILIARIES = AUXILIARIES - {"be", "been", "being"}
MODALS = words(
    "can could can't couldn't cannot will would won't wouldn't shall should shouldn't may might must to do does did don't doesn't didn't"
)
SUBJECT_PRONOUNS = words(
    "i you he she it we they there this these those that who which someone nobody everyone"
)
PRONOUNS = SUBJECT_PRONOUNS | words("me him her us them his hers its their theirs my your our one")
DETERMINERS = words(
    "a an the this that these those his her its their my your our some any each every no both all many several most few another"
)
PREPOSITIONS = words(
    """about above across after against along among around as at before behind below beneath beside besides between beyond
    by despite down during for from in inside into like near of off on onto out outside over per since through throughout
    to toward towards under until unlike up upon via with within without than because if when while whether although"""
)
CONJUNCTIONS = words("and or but nor so yet plus then")
NOT_PLURAL = DETERMINERS | PRONOUNS | PREPOSITIONS
NEGATIONS = words("not no never none nothing nobody neither nor without cannot n't n’t hardly")
OPEN_CLASS_BREAKERS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | PRONOUNS

REGULAR_VERBS = words(
    """absorb accept access accompany account accuse achieve act add address admit affect affirm agree aim allow announce answer appear apply
    approach argue arrange arrest arrive ask assert assign assist assume attach attack attempt attend avoid base believe
    belong better block boost calculate call cancel capture carry cause change charge check claim climb close collect
    combine compare compete complain complete compute concern conclude conduct confirm connect consider consist contain
    continue contribute control convert correspond cover crash create cross damage deal decide declare decline decrease
    define delay deliver demand deny depend derive describe destroy detect determine develop die differ disappear
    discover discuss display divide double drop earn eliminate emerge employ enable encourage end enjoy ensure enter
    establish estimate examine exceed exchange execute exist expand expect experience explain express extend fail fill
    finish focus follow force form function gain generate happen help highlight hope host identify ignore implement
    imply import improve include incorporate increase indicate influence inform inherit injure insert insist install
    introduce invest investigate involve issue join jump keep kill label lack last launch lend like limit link list live
    look lower maintain manage mark match measure mention mix modify move name need note notice observe obtain occur
    offer open operate order organise organize outline own pass perform permit place plan play pledge point possess
    prefer prepare present prevent proceed process produce promise promote protect prove provide publish pull push raise
    range reach react read realise realize receive recognise recognize recommend record recover reduce refer reflect
    refuse reject relate release rely remain remember remove replace reply report represent request require rescue
    resign resolve respond restore result retain retire return reveal revert rise save score search seem separate serve
    share ship show sign simulate slide slip solve sort specify spread stand start state stay step stop store struggle
    study succeed suffer suggest support suspect switch talk target tend test think threaten top touch track trade train
    transfer transform translate travel treat trigger try turn unveil update use utilize vary view visit vote wait walk
    want warn watch weigh welcome work worry yield acquire activate adapt adjust adopt advance advise alert align allege
    allocate alter analyse analyze appoint approve assemble assess attract award ban beat behave boil bond burn capture
    carve celebrate challenge chase cite clarify classify clean clear climb coat code comment commit communicate compile
    comprise concatenate condense confirm confront conserve construct consume convey cook cool copy correct count crack
    criticise criticize deduct delete demonstrate denote deploy deposit designate digest dissolve distinguish distribute
    dominate donate drag dry duplicate educate elect emit emphasise emphasize encode encounter encrypt enforce enhance
    equal equip erase erupt escape evaluate evaporate evolve exclude exert exhibit expose extract facilitate favour
    favor fetch fire fit fix flow fold forward free freeze fuel gather govern grant greet guarantee guard guide handle
    harm heat hire hunt illustrate impact impose inhabit inhibit initialise initialize initiate insult integrate
    interact interpret invent invite invoke isolate iterate justify knock land laugh leak learn load locate lock log
    maximise maximize melt merge minimise minimize miss monitor motivate multiply negotiate nominate obey oppose
    overcome override overlap owe pack paint parse partition pay persuade pick plant poll pop post pour praise preserve
    press print prohibit propose prosecute pump purchase push qualify quote rank rate rebuild recall reckon regain
    regard register regulate reinforce rent repair repeat repel request research reside resist resume retrieve review
    reward roll rotate rule rush sample satisfy scan schedule secure select shape shift shrink sign simplify slow smell
    smoke snap speed spin spill split stabilise stabilize stem stimulate store strengthen stress stretch submit
    substitute subtract suit summarise summarize supply surround survive suspend sustain swap sweat tackle taste tax
    terminate thank tie tolerate transmit transport traverse unite urge validate vanish verify warm wash waste weaken
    wipe wish wonder wrap"""
)
IRREGULAR_PASTS = words(
    """arose ate became began bent bet bit bled blew bore bought bound bred broke brought built burnt came caught chose
    clung cost crept cut dealt drank drew drove dug fed fell felt flew forbade forgot fought found froze gave got grew
    held hid hit hung hurt kept knew laid led left lent lit lost made meant met paid put quit ran rang read rode rose
    said sang sank sat saw sent set shed shook shot showed shrank shut slept slid slit sold sought spent split spoke
    spread sprang stole stood stuck struck swam swept swore swung taught thought threw told took tore understood upset
    went withdrew woke won wore wrote wrung"""
)
IRREGULAR_BASES = words(
    """arise become begin bend bind bite bleed blow break bring build buy catch choose come cost cut deal dig do draw
    drink drive eat fall feed feel fight find fly forget get give go grow hang have hide hit hold hurt know lay lead
    leave lend let lie lose make mean meet pay put quit ride ring run say see seek sell send set shake shine shoot shut
    sing sink sit sleep speak spend spring stand steal stick strike swear sweep swim take teach tear tell think throw
    understand wake wear win withdraw write"""
)
PARTICIPLES = words(
    """been become begun bent born bought bound broken brought built caught chosen come cut done drawn driven eaten fallen
    fed felt fought found given gone got grown held hidden hit kept known laid led left lent lost made meant met paid put
    read run said seen sent set shown shut sold sought spent spoken spread stolen stood struck taken taught thought thrown
    told understood won worn written"""
)
NOT_PASTS = words(
    """bed breed creed deed embed exceed feed freed greed hatred heed hundred indeed need proceed red reed seed shed sled
    speed succeed unprecedented weed wicked naked sacred related united hundred bored sophisticated supposed armed
    so-called limited advanced detailed complicated"""
)


def third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


BASE_VERBS = REGULAR_VERBS | IRREGULAR_BASES
THIRD_PERSONS = frozenset(third_person(verb) for verb in BASE_VERBS - {"have", "do"})


Words = tuple[TextToken, ...]


def tokenize(text: str) -> Words:
    return tokens_of_sentence(text) if len(text) <= LONGEST_KEPT else tokens_of(text)


def tokens_of(text: str) -> Words:
    return tuple(TextToken(word := found[0], word.lower(), *found.span()) for found in TOKEN.finditer(text))


@lru_cache(maxsize=512)
def tokens_of_sentence(text: str) -> Words:
    """Kept: every rule looks at a sentence afresh."""
    return tokens_of(text)


def is_word(token: TextToken) -> bool:
    return token.text[0].isalnum()


def is_content(token: TextToken) -> bool:
    """A word that says what a text is about; numbers are."""
    return is_word(token) and token.lower not in STOPWORDS and token.lower not in AUXILIARIES


def opens_object(token: TextToken | None) -> bool:
    """Whether what stands behind a word that may be a verb suggests that it is: `the`, `it`, `in`, a number, nothing."""
    return (
        token is None or not is_word(token) or token.lower in OPEN_CLASS_BREAKERS or token.text[0].isdigit()
    )


Form = Literal["base", "s", "ing", "past"]


def verb_form(word: str) -> Form | None:
    """The form of a known verb; None for any other word."""
    if word in BASE_VERBS:
        return "base"
    if word in THIRD_PERSONS:
        return "s"
    if (
        word in IRREGULAR_PASTS
        or word in PARTICIPLES
        or (word.endswith("ed") and len(word) > 3 and word not in NOT_PASTS)
    ):
        return "past"
    if word.endswith("ing") and len(word) > 5:
        return "ing"
    return None


def is_finite_verb(tokens: Words, at: int) -> bool:
    """Whether the word here looks like the verb of a clause: a guess from its form and its neighbours.

    It errs towards "no": a sentence left whole is still a fact, half a noun phrase is not.
    """
    word = tokens[at].lower
    before = tokens[at - 1].lower if at else ""
    after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    if word in {"'s", "’s"}:
        return before in SUBJECT_PRONOUNS  # `Rose 's total` is a possessive, `he 's late` is not
    if word in FINITE_AUXILIARIES:
        return before != "to" and not (at and tokens[at].text[0].isupper())
    if (
        before in {"a", "an", "the", "to", "of", "'s", "’s"}
        or before in AUXILIARIES
        or before in {"his", "its", "their"}
    ):
        return False
    if tokens[at].text[0].isupper():
        return False  # a name, or the first word; titles in capitals stay whole
    if word in IRREGULAR_PASTS:
        return not (word in IRREGULAR_BASES and before in MODALS)
    if word.endswith("ed") and len(word) > 3 and word not in NOT_PASTS:
        # `the camera discovered by police` is no clause, `police discovered the camera` is.
        return before not in PREPOSITIONS and before not in DETERMINERS and after != "by" and at > 0
    if at == 0 or after in FINITE_AUXILIARIES:
        return False  # `drives are`, `forces can`: nouns
    if word in THIRD_PERSONS:
        if not after[:1].isalnum():  # `phones and watches.`
            return before in SUBJECT_PRONOUNS or tokens[at - 1].text.istitle()
        return before not in DETERMINERS and before not in PREPOSITIONS and after not in {"of", "and", "or"}
    if word in BASE_VERBS:
        plural = before.endswith("s") and not before.endswith("ss") and before not in NOT_PLURAL
        return before in words_before_base() or (
            plural and is_word(tokens[at - 1]) and before not in PREPOSITIONS
        )
    return False


@lru_cache(maxsize=1)
def words_before_base() -> frozenset[str]:
    return words("i you we they who that which people men women children police also often usually")


@lru_cache(maxsize=1)
def stemmer() -> Stemmer.Stemmer:
    # Its own cache is bounded; ours below also spares the call.
    return Stemmer.Stemmer("english", 0)


COUNTED = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
SMALL_NUMBERS = {word: str(value) for value, word in enumerate(COUNTED)}
DIGITS = re.compile(r"\d+(?:[.,:]\d+)*%?")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What a word and its inflections have in common; `six` and `6`, `1,500.0` and `1500` meet as well."""
    word = word[:60].casefold().replace("’", "'").removesuffix("'s")
    if word in SMALL_NUMBERS:
        return SMALL_NUMBERS[word]
    if DIGITS.fullmatch(word):
        number = THOUSANDS.sub("", word.rstrip("%"))
        return number.rstrip("0").rstrip(".") if "." in number else number
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return str(stemmer().stemWord(word)) if word.isascii() else word
