"""Which quoted numbers agree: the table that the correctness judge's tolerance is."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.scoring.numbers.compare import compare_numbers
from adjudge.scoring.numbers.quantities import read_spans

FOUR, TWO = Fraction(4, 100), Fraction(2, 100)

AGREE = [
    # the margin, bound included, exact decimals
    ("1", "1.04"),
    ("1", "0.96"),
    ("100", "104"),
    ("-100", "-96"),
    ("0.1", "0.104"),
    ("3", "3.12"),
    ("42", "42 people"),
    ("1000000", "1,040,000"),
    # thousands separators of several places
    ("1,234.5", "1.234,5"),
    ("1234.5", "1 234,5"),
    ("1234.5", "1'234.5"),
    ("1234.5", "1’234.50"),
    ("100,000", "1,00,000"),
    ("12,34,567", "1234567"),
    ("1,234,567", "1.234.567"),
    ("1 234 567", "1\u202f234\u202f567"),
    ("1,234", "1.234"),
    ("1.234,00", "1.234"),
    ("1,5", "1.5"),
    ("1_000_000", "1 million"),
    # shares
    ("4%", "0.04"),
    ("0.04", "4 %"),
    ("4%", "4"),
    ("4%", "4 percent"),
    ("50 %", "51%"),
    ("12.5%", "12.5 pct"),
    ("25 basis points", "0.25 percentage points"),
    ("50 bps", "0.5%"),
    ("5‰", "0.5 %"),
    ("four percent", "4％"),
    # scale words
    ("1.5 million", "1,500,000"),
    ("1.5M", "1500k"),
    ("2bn", "2 billion"),
    ("2B", "2,000 million"),
    ("20k", "20,000"),
    ("20K", "20 thousand"),
    ("3 trillion", "3000 bn"),
    ("2 crore", "20 million"),
    ("5 lakh", "500,000"),
    ("5 m", "5 million"),
    ("3万", "30000"),
    # currencies
    ("$5", "5 dollars"),
    ("$5", "USD 5"),
    ("US$5.2bn", "$5.2 billion"),
    ("€1.234,50", "1234.50 EUR"),
    ("£5m", "5 million pounds"),
    ("5 pounds", "2.268 kg"),
    ("$4.99", "499 cents"),
    ("₹ 5 crore", "Rs. 50,000,000"),
    ("$1,577", "$1577.00"),
    ("$5", "5"),
    ("A$5", "$5"),
    ("USD 12.5 million", "$12.5M"),
    # scientific notation
    ("1.2e6", "1,200,000"),
    ("1.2×10^6", "1.2 million"),
    ("6.02 × 10²³", "6.02e23"),
    ("6.02 x 10^23", "6.022·10²³"),
    ("10^6", "1 million"),
    ("1.6e-19", "1.6 × 10⁻¹⁹"),
    ("2*10**3", "2000"),
    # negatives
    ("(5.2)", "-5.2"),
    ("−5.2", "(5.2)"),
    ("$(5.2) million", "-$5.2 million"),
    ("($1,234)", "-1234"),
    ("minus five", "-5"),
    ("-3°C", "−3 °C"),
    # fractions and words
    ("1/2", "0.5"),
    ("½", "50%"),
    ("2½", "2.5"),
    ("2 1/2", "two and a half"),
    ("three quarters", "0.75"),
    ("two-thirds", "66.7%"),
    ("twenty-one", "21"),
    ("one hundred and five", "105"),
    ("two thousand three hundred", "2300 items"),
    ("a dozen", "12"),
    ("3 dozen", "36"),
    ("half a million", "500,000"),
    ("seven", "7"),
    ("zero", "0"),
    # ranges
    ("5–10", "5 to 10"),
    ("between 5 and 10", "5-10"),
    ("5-10", "7"),
    ("5-10", "10.4"),
    ("5-10", "4.8"),
    ("$5-10 million", "$5 million to $10 million"),
    ("5 to 10 km", "5000 m – 10000 m"),
    ("10%-20%", "0.1 to 0.2"),
    ("100", "98-102"),
    ("500 m to 1 km", "0.5-1 km"),
    ("(0)s-1'", "(0)s-1'"),
    # approximations
    ("~500", "500"),
    ("about 500", "approximately 510"),
    ("over 1,000 people", "1,000+"),
    ("≈ 3.14", "3.1416"),
    ("a total of 45", "45"),
    ("revenue of $5 million in 2023", "$5m"),
    ("10-year", "10 years"),
    ("1E3", "1,000"),
    ("USD5m", "$5,000,000"),
    ("70 degrees", "70°F"),
    ("one in five", "20%"),
    ("3 out of 5", "60 %"),
    ("one point five", "1.5"),
    ("December 2019", "12/2019"),
    ("COVID-19", "Covid 19"),
    ("page 42", "p. 42"),
    ("#1998", "1998"),
    # zero
    ("0", "0.0"),
    ("0%", "0"),
    # units that differ
    ("5 km", "5000 m"),
    ("5km", "3.1 miles"),
    ("1 mile", "1.609 km"),
    ("6 ft 2 in", "188 cm"),
    ("6'2\"", "1.88 m"),
    ("5 kg", "11 lbs"),
    ("2 tonnes", "2,000 kg"),
    ("90 minutes", "1.5 hours"),
    ("1 h 30 min", "90 min"),
    ("1 year", "12 months"),
    ("32 °F", "0 °C"),
    ("100°C", "212 °F"),
    ("300 K", "26.85 °C"),
    ("1 GB", "1000 MB"),
    ("1 GiB", "1024 MiB"),
    ("8 Mbit", "1 MB"),
    ("1 hectare", "10,000 m²"),
    ("5 km²", "5 square kilometres"),
    ("1 L", "1000 cm³"),
    ("60 mph", "96.6 km/h"),
    ("36 km per hour", "10 m/s"),
    ("1 kWh", "3.6 MJ"),
    ("5 km", "5"),
    ("5", "5 kg"),
    ("$5 per share", "$5/share"),
    # years, dates, times
    ("1998", "1998"),
    ("1998", "in 1998"),
    ("2000 people", "2040"),
    ("$2000", "1950"),
    ("2,000", "2040"),
    ("1889", "March 31, 1889"),
    ("March 2024", "2024-03-01"),
    ("2024-03-01", "March 1, 2024"),
    ("1 March 2024", "March 1st, 2024"),
    ("1/3/2024", "March 1, 2024"),
    ("3/1/2024", "2024/03/01"),
    ("01.03.2024", "1 Mar 2024"),
    ("Monday, March 4, 2024", "4 March 2024"),
    ("44 BC", "44 BCE"),
    ("FY2023", "fiscal year 2023"),
    ("1914–1918", "1914 to 1918"),
    ("1914-18", "1914–1918"),
    ("the 1990s", "1990s"),
    ("Q3 2024", "2024 Q3"),
    ("3:30 pm", "15:30"),
    ("3 p.m.", "3 PM"),
    ("noon", "12:00 pm"),
    ("2024-03-01 15:30", "2024-03-01T15:30"),
    # ordinals, identifiers, versions
    ("3rd", "third"),
    ("3rd", "3"),
    ("#3", "3rd"),
    ("twenty-first", "21st"),
    ("A-113", "a113"),
    ("SKU 12345", "sku: 12345"),
    ("SKU 12345", "12345"),
    ("+1 (555) 123-4567", "+1 555 123 4567"),
    ("ISBN 978-3-16-148410-0", "9783161484100"),
    ("Apollo 11", "11"),
    ("v2", "2.0"),
    ("3.11.2", "v3.11.2"),
    ("version 3.11", "3.11"),
    ("192.168.1.1", "192.168.1.1"),
    ("007", "007"),
    ("16:9", "16 : 9"),
    # what is no number is compared as text
    ("3 out of 5 stars in 2 tests", "3  OUT of 5 stars in 2 tests"),
]

DISAGREE = [
    ("1", "1.0400001"),
    ("1", "0.9599"),
    ("100", "95"),
    ("100", "-100"),
    ("1,234", "1.5"),
    ("1234", "1.234"),
    ("1,500", "1.5"),
    ("4%", "5%"),
    ("4%", "0.05"),
    ("4%", "400"),
    ("50%", "$50"),
    ("1.5 million", "1.5"),
    ("1.5 million", "1.5 billion"),
    ("$5 million", "5 thousand dollars"),
    ("$5", "€5"),
    ("£5", "5 USD"),
    ("5 USD", "5 EUR"),
    ("A$5", "C$5"),
    ("1.2e6", "1.2e5"),
    ("6.02 × 10²³", "6.02 × 10²²"),
    ("(5.2)", "5.2"),
    ("-5", "5"),
    ("½", "1/3"),
    ("twenty-one", "20"),
    ("5-10", "11"),
    ("5-10", "5-12"),
    ("100", "90-102"),
    ("100", "98-120"),
    ("0", "0.001"),
    ("0", "-1"),
    ("5 km", "5 kg"),
    ("5 km", "5 m"),
    ("5 km", "5 miles"),
    ("5 kg", "5 lb"),
    ("90 minutes", "90 hours"),
    ("32 °F", "32 °C"),
    ("1 GB", "1 MB"),
    ("5 km²", "5 km"),
    ("5 mW", "5 MW"),
    ("6 ft 2 in", "6 ft 8 in"),
    ("1998", "1999"),
    ("2020", "2024"),
    ("in 1066", "in 1067"),
    ("1889", "March 31, 1890"),
    ("March 1, 2024", "March 2024"),
    ("2024-03-01", "2024-03-02"),
    ("March 1, 2024", "March 1, 2023"),
    ("1914–1918", "1914–1919"),
    ("44 BC", "44 AD"),
    ("1990s", "1980s"),
    ("1990", "the 1990s"),
    ("one in five", "1"),
    ("1577", "1,577 million"),
    ("Q3 2024", "Q4 2024"),
    ("3:30 pm", "3:31 pm"),
    ("3 am", "3 pm"),
    ("15:30 UTC", "15:30 EST"),
    ("100th", "101st"),
    ("3rd", "4"),
    ("A-113", "A-114"),
    ("SKU 12345", "SKU 12346"),
    ("Boeing 747", "Boeing 737"),
    ("+1 (555) 123-4567", "+1 555 123 4568"),
    ("555-1234", "555-1235"),
    ("02139", "02140"),
    ("3.11.2", "3.11.3"),
    ("version 3.1", "3.10"),
    ("v2", "v2.1"),
    ("192.168.1.1", "192.168.1.2"),
    ("16:9", "16:10"),
    ("21-14", "21-13"),
    ("5", "none at all"),
]


@pytest.mark.parametrize(("expected", "response"), AGREE)
def test_agrees(expected, response):
    comparison = compare_numbers(expected, response, FOUR)
    assert comparison.agrees, comparison.how


@pytest.mark.parametrize(("expected", "response"), DISAGREE)
def test_does_not_agree(expected, response):
    comparison = compare_numbers(expected, response, FOUR)
    assert not comparison.agrees, comparison.how


def test_the_table_is_as_long_as_promised():
    assert len(AGREE) + len(DISAGREE) >= 120
    assert not set(AGREE) & set(DISAGREE)


@pytest.mark.parametrize(
    ("expected", "response", "margin", "how"),
    [
        ("1", "1.04", FOUR, "off by 4 %, 4 % allowed"),
        ("1", "1.04", TWO, "off by 4 %, 2 % allowed"),
        ("1", "1.02", TWO, "off by 2 %, 2 % allowed"),
        ("26", "27", FOUR, "off by 3.85 %, 4 % allowed"),
        ("1", "1.0400001", FOUR, "off by 4.00001 %, 4 % allowed"),
        ("5 km", "5 kg", FOUR, "units differ (kg against km)"),
        ("0", "1", FOUR, "expected 0 wants 0"),
        ("1998", "1999", FOUR, "compared exactly as years"),
        ("March 1, 2024", "1 March 2024", FOUR, "compared exactly as dates"),
        ("3 pm", "15:00", FOUR, "compared exactly as times"),
        ("3rd", "third", FOUR, "compared exactly as ordinals"),
        ("v2", "2.0", FOUR, "compared exactly as versions"),
        ("A-113", "A113", FOUR, "compared exactly as identifiers"),
        ("5-10", "7", FOUR, "inside the range"),
        ("5-10", "11", FOUR, "outside the range, off by 10 %, 4 % allowed"),
        ("5", "none", FOUR, "not read as numbers, compared as text"),
        ("1", "1e300", FOUR, "off by more than 100000 %, 4 % allowed"),
    ],
)
def test_what_was_decided_is_said_with_the_numbers(expected, response, margin, how):
    assert compare_numbers(expected, response, margin).how == how


def test_a_question_for_a_year_makes_bare_digits_a_year():
    assert compare_numbers("1066", "1050", FOUR).agrees
    assert not compare_numbers("1066", "1050", FOUR, year_asked=True).agrees
    assert compare_numbers("1066", "1066", FOUR, year_asked=True).agrees


def test_a_question_for_millions_lets_a_bare_number_stand_for_millions():
    assert compare_numbers("$1577.00", "$1,577 million", FOUR, scale_asked=Fraction(10**6)).agrees
    assert compare_numbers("1.6 billion", "1,577", FOUR, scale_asked=Fraction(10**6)).agrees
    assert not compare_numbers("1577", "1,577 billion", FOUR, scale_asked=Fraction(10**6)).agrees
    assert compare_numbers("1577", "1577 USD", FOUR, scale_asked=Fraction(10**6)).agrees
    assert compare_numbers("303", "$302,578,000", FOUR, scale_asked=Fraction(10**6)).agrees
    assert compare_numbers("302,578,000", "303", FOUR, scale_asked=Fraction(10**6)).agrees
    assert not compare_numbers("303", "$302,578", FOUR, scale_asked=Fraction(10**6)).agrees


def test_a_calculation_has_half_the_margin():
    assert compare_numbers("100", "102", TWO).agrees
    assert not compare_numbers("100", "102.1", TWO).agrees


@given(
    st.decimals(min_value="0.001", max_value=10**9, places=3),
    st.decimals(min_value="0.5", max_value="1.5", places=4),
)
def test_the_margin_is_relative_to_the_expected_value_and_includes_its_bound(expected, factor):
    response = expected * factor
    wanted = abs(Fraction(response) - Fraction(expected)) <= FOUR * Fraction(expected)
    assert compare_numbers(f"{expected} units", f"{response:f} units", FOUR).agrees == wanted


@given(st.integers(min_value=0, max_value=10**12))
def test_every_separator_gives_the_same_number(value):
    english = f"{value:,}"
    for written in (
        english,
        english.replace(",", " "),
        english.replace(",", "'"),
        english.replace(",", "\u00a0"),
    ):
        assert read_spans(written)[0].low.value == value
    if value >= 10**6:
        assert read_spans(english.replace(",", "."))[0].low.value == value


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_are_compared_and_each_agrees_with_itself(expected, response):
    assert compare_numbers(expected, response, FOUR).how
    assert compare_numbers(expected, expected, FOUR).agrees


@given(st.text(alphabet="0123456789.,-–/: ()%$€kKmMbB'\"°ehtrdsvx×^±~ andto", max_size=40))
def test_text_made_of_number_parts_agrees_with_itself(text):
    comparison = compare_numbers(text, text, FOUR)
    assert comparison.agrees, comparison.how


@pytest.mark.parametrize(
    "text", ["9" * 10**6, "1," * 500_000, "-" * 10**6, "1e" * 500_000, "(" * 10**6, " 1" * 500_000]
)
def test_a_megabyte_is_compared_as_text(text):
    assert compare_numbers(text, text, FOUR).agrees
    assert not compare_numbers(text, "5", FOUR).agrees
